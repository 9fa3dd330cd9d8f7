import type { FieldDefinitionNode } from 'graphql';
import { directiveArgument } from '../../../supergraph/index.ts';

/** Whether fields of a supergraph require others. The definition of the directive, `requires: join__FieldSet`, does not count. */
export function hasRequirements(sdl: string): boolean {
  return REQUIREMENT.test(sdl);
}

const REQUIREMENT = /requires\s*:\s*"/;

/** What subgraphs require for a field. */
export function requirementsOf({ directives = [] }: FieldDefinitionNode): { graph: string; requires: string }[] {
  return directives.flatMap((join) => {
    if (join.name.value !== 'join__field') return [];
    const [graph, requires] = [directiveArgument(join, 'graph'), directiveArgument(join, 'requires')];
    return graph === undefined || requires === undefined ? [] : [{ graph, requires }];
  });
}
