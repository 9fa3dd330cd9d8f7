import { type FragmentDefinitionNode, Kind } from 'graphql';
import type { RoleGraph } from '../graph/index.ts';
import type { RestEndpoint } from '../metadata/index.ts';
import { rootFieldsOf } from '../operation/index.ts';

/** Whether an endpoint needs no token: its operation has authentication fields only. */
export function isPublic({ document, operation }: RestEndpoint, publicGraph: RoleGraph): boolean {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions)
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  return rootFieldsOf(operation, fragments).every((field) => publicGraph.hasRootField(field.operation, field.name));
}
