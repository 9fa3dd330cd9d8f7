import {
  type ConstArgumentNode,
  type ConstDirectiveNode,
  type DocumentNode,
  type FieldDefinitionNode,
  Kind,
  visit,
} from 'graphql';
import { directiveArgument, graphNames } from './join-directives.ts';

/** The labels of a supergraph's progressive overrides (`@override(from:, label:)`), without duplicates and in order. */
export function overrideLabels(supergraph: DocumentNode): readonly string[] {
  const labels = new Set<string>();
  for (const definition of supergraph.definitions) {
    if (definition.kind !== Kind.OBJECT_TYPE_DEFINITION && definition.kind !== Kind.INTERFACE_TYPE_DEFINITION) continue;
    for (const join of (definition.fields ?? []).flatMap(fieldJoins)) {
      const label = directiveArgument(join, OVERRIDE_LABEL);
      if (label !== undefined && directiveArgument(join, 'override') !== undefined) labels.add(label);
    }
  }
  return [...labels];
}

/**
 * Decides the labels of a supergraph. Overrides with an active label always apply, the others never.
 * @returns a supergraph without labels
 */
export function resolveOverrides(supergraph: DocumentNode, active: ReadonlySet<string>): DocumentNode {
  const names = graphNames(supergraph);
  return visit(supergraph, {
    FieldDefinition: (field) => {
      const joins = fieldJoins(field);
      const overrides = joins.flatMap((join): { label: string; from: string }[] => {
        const [label, from] = [directiveArgument(join, OVERRIDE_LABEL), directiveArgument(join, 'override')];
        return label === undefined || from === undefined ? [] : [{ label, from }];
      });
      if (overrides.length === 0) return undefined;
      const resolved = (field.directives ?? []).flatMap((join): ConstDirectiveNode[] => {
        if (!joins.includes(join)) return [join];
        const service = names.get(directiveArgument(join, 'graph') ?? '');
        const own = directiveArgument(join, 'override');
        const label = directiveArgument(join, OVERRIDE_LABEL);
        if (own !== undefined && label !== undefined) {
          const isOverridden = joins.some((other) => names.get(directiveArgument(other, 'graph') ?? '') === own);
          // The field may be part of a key there, so the subgraph still has it.
          return active.has(label) || !isOverridden ? [withoutArguments(join, OVERRIDE_LABEL)] : [external(join)];
        }
        const override = overrides.find(({ from }) => from === service);
        if (!override) return [join];
        if (!active.has(override.label)) return [withoutArguments(join, OVERRIDE_LABEL, USED_OVERRIDDEN)];
        return isUsed(join) ? [withoutArguments(join, OVERRIDE_LABEL)] : [];
      });
      return { ...field, directives: resolved };
    },
  });
}

const OVERRIDE_LABEL = 'overrideLabel';
const USED_OVERRIDDEN = 'usedOverridden';

function fieldJoins({ directives }: FieldDefinitionNode): readonly ConstDirectiveNode[] {
  return (directives ?? []).filter(({ name }) => name.value === 'join__field');
}

function isUsed(join: ConstDirectiveNode): boolean {
  return (join.arguments ?? []).some(
    ({ name, value }) => name.value === USED_OVERRIDDEN && value.kind === Kind.BOOLEAN && value.value,
  );
}

function withoutArguments(join: ConstDirectiveNode, ...names: readonly string[]): ConstDirectiveNode {
  return { ...join, arguments: (join.arguments ?? []).filter(({ name }) => !names.includes(name.value)) };
}

/** The join of a subgraph that has a field but does not resolve it. */
function external(join: ConstDirectiveNode): ConstDirectiveNode {
  const kept = (join.arguments ?? []).filter(({ name }) => name.value === 'graph' || name.value === 'type');
  const argument: ConstArgumentNode = {
    kind: Kind.ARGUMENT,
    name: { kind: Kind.NAME, value: 'external' },
    value: { kind: Kind.BOOLEAN, value: true },
  };
  return { ...join, arguments: [...kept, argument] };
}
