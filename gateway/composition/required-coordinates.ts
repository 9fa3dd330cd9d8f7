import { type DocumentNode, Kind, type SelectionNode } from 'graphql';
import { parseFieldSet } from '../supergraph/index.ts';
import { innermostTypeName } from '../syntax/index.ts';
import { directivesOf } from './directives.ts';

/**
 * What fields require of other subgraphs, transitively: by `Type.field`, the `Type` and `Type.field` of each field that is
 * part of a representation, and the types of these.
 */
export function requiredCoordinates(supergraph: DocumentNode): ReadonlyMap<string, ReadonlySet<string>> {
  const types = new Map<string, string>();
  const requiring: { readonly type: string; readonly field: string; readonly requires: string }[] = [];
  for (const type of supergraph.definitions) {
    if (type.kind !== Kind.OBJECT_TYPE_DEFINITION && type.kind !== Kind.INTERFACE_TYPE_DEFINITION) continue;
    for (const field of type.fields ?? []) {
      types.set(`${type.name.value}.${field.name.value}`, innermostTypeName(field.type));
      for (const { requires } of directivesOf(field, 'join__field'))
        if (typeof requires === 'string') requiring.push({ type: type.name.value, field: field.name.value, requires });
    }
  }
  const direct = new Map<string, Set<string>>();
  for (const { type, field, requires } of requiring) {
    const key = `${type}.${field}`;
    const found = direct.get(key) ?? new Set();
    direct.set(key, found);
    collectCoordinates(parseFieldSet(requires), type, types, found);
  }
  return new Map([...direct.keys()].map((key) => [key, closureOf(key, direct)]));
}

function collectCoordinates(
  selections: readonly SelectionNode[],
  type: string,
  types: ReadonlyMap<string, string>,
  found: Set<string>,
): void {
  for (const selection of selections) {
    if (selection.kind === Kind.INLINE_FRAGMENT)
      collectCoordinates(selection.selectionSet.selections, selection.typeCondition?.name.value ?? type, types, found);
    if (selection.kind !== Kind.FIELD) continue;
    const key = `${type}.${selection.name.value}`;
    const own = types.get(key);
    found.add(type).add(key);
    if (own === undefined) continue;
    found.add(own);
    collectCoordinates(selection.selectionSet?.selections ?? [], own, types, found);
  }
}

/** With what the required fields require in turn. */
function closureOf(key: string, direct: ReadonlyMap<string, ReadonlySet<string>>): ReadonlySet<string> {
  const found = new Set<string>();
  const pending = [key];
  for (let next = pending.pop(); next !== undefined; next = pending.pop())
    for (const one of direct.get(next) ?? []) {
      if (found.has(one)) continue;
      found.add(one);
      pending.push(one);
    }
  return found;
}
