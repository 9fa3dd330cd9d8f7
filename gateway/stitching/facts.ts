import { type FieldNode, Kind, type SelectionSetNode } from 'graphql';
import type { SelectedField } from './selected.ts';
import type { StitchedSubschema } from './subschema.ts';
import { type EntryPoint, isPartOfKey, type SubschemaTypes, schemaField, visibleField } from './subschema-types.ts';

/** Fields by their names, each with all that is needed of it. */
export class FactSet {
  readonly #nodes = new Map<string, FieldNode>();

  get nodes(): readonly FieldNode[] {
    return [...this.#nodes.values()];
  }

  add({ selections }: SelectionSetNode): void {
    for (const node of selections) {
      if (node.kind === Kind.INLINE_FRAGMENT) this.add(node.selectionSet);
      if (node.kind !== Kind.FIELD || node.name.value === '__typename') continue;
      const known = this.#nodes.get(node.name.value)?.selectionSet?.selections ?? [];
      const inner = [...known, ...(node.selectionSet?.selections ?? [])];
      const selectionSet: SelectionSetNode = { kind: Kind.SELECTION_SET, selections: inner };
      this.#nodes.set(node.name.value, {
        kind: Kind.FIELD,
        name: node.name,
        ...(isWithArguments(node) && {
          alias: { kind: Kind.NAME, value: `portico_fact_${node.name.value}` } as const,
          arguments: node.arguments ?? [],
        }),
        ...(inner.length > 0 && { selectionSet }),
      });
    }
  }
}

/** The entry points that may answer a field. */
export function entriesFor(types: SubschemaTypes, typeName: string, node: FieldNode): readonly EntryPoint[] {
  return types.entryPoints(typeName).filter(({ subschema, key }) => {
    const field = visibleField(subschema, typeName, node);
    return field && !isPartOfKey(key, field);
  });
}

/** The entry points that may give a fact of an object, whether clients see it there or not. */
export function entriesForFact(types: SubschemaTypes, typeName: string, name: string): readonly EntryPoint[] {
  return types.entryPoints(typeName).filter(({ subschema, key }) => {
    const field = schemaField(subschema.schema.getType(typeName), name);
    return field && !isPartOfKey(key, field) && !types.requirement(subschema, typeName, name);
  });
}

/** What a subschema can say of its objects that others need to answer what is missing of them. */
export function requiredFacts(
  types: SubschemaTypes,
  subschema: StitchedSubschema,
  typeName: string,
  missing: readonly SelectedField[],
): readonly FieldNode[] {
  const facts = new FactSet();
  const type = subschema.schema.getType(typeName);
  const isAnswered = (node: FieldNode) => schemaField(type, node.name.value) !== undefined;
  const looked = new Set<string>();
  /** A fact that is not here is to be fetched from another subschema, by keys that may be here. */
  const need = (set: SelectionSetNode): void => {
    facts.add(set);
    for (const node of set.selections) {
      if (node.kind !== Kind.FIELD || isAnswered(node) || looked.has(node.name.value)) continue;
      looked.add(node.name.value);
      for (const entry of entriesForFact(types, typeName, node.name.value)) if (entry.key) need(entry.key);
    }
  };
  for (const { node } of missing) {
    const relationship = types.relationship(typeName, node.name.value);
    if (relationship) for (const field of relationship.keys.values()) need(selectOnly(field));
    else
      for (const entry of entriesFor(types, typeName, node)) {
        if (entry.key) need(entry.key);
        const requirement = types.requirement(entry.subschema, typeName, node.name.value);
        if (requirement) need(requirement);
      }
  }
  return facts.nodes.filter((node) => isAnswered(node) && !types.requirement(subschema, typeName, node.name.value));
}

export function selectOnly(field: string): SelectionSetNode {
  const node: FieldNode = { kind: Kind.FIELD, name: { kind: Kind.NAME, value: field } };
  return { kind: Kind.SELECTION_SET, selections: [node] };
}

function isWithArguments({ arguments: given }: FieldNode): boolean {
  return (given ?? []).length > 0;
}
