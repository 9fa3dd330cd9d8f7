import { type DocumentNode, Kind, type SelectionNode } from 'graphql';
import { innermostTypeName } from '../../graphql/syntax/index.ts';
import { parseFieldSet } from '../supergraph/index.ts';
import { directivesOf } from './directives.ts';

/** Data about the types in a supergraph's definitions. */
interface DefinedTypes {
  /** The innermost type of each field, by `Type.field`. */
  readonly ofFields: ReadonlyMap<string, string>;
  /** The object types of each interface, by the interface's name. */
  readonly members: ReadonlyMap<string, readonly string[]>;
}

/**
 * The coordinates that fields require from other subgraphs, transitively, by `Type.field`. The coordinates include the
 * `Type` and `Type.field` of each field in a representation, and these fields' types. A field of an interface stands
 * for the same field of all implementing types, since the type of a representation is unknown before it is fetched.
 */
export function requiredCoordinates(supergraph: DocumentNode): ReadonlyMap<string, ReadonlySet<string>> {
  const ofFields = new Map<string, string>();
  const members = new Map<string, string[]>();
  const requiring: { readonly type: string; readonly field: string; readonly requires: string }[] = [];
  for (const type of supergraph.definitions) {
    if (type.kind !== Kind.OBJECT_TYPE_DEFINITION && type.kind !== Kind.INTERFACE_TYPE_DEFINITION) continue;
    for (const { name } of type.interfaces ?? []) {
      const known = members.get(name.value);
      if (known) known.push(type.name.value);
      else members.set(name.value, [type.name.value]);
    }
    for (const field of type.fields ?? []) {
      ofFields.set(`${type.name.value}.${field.name.value}`, innermostTypeName(field.type));
      for (const { requires } of directivesOf(field, 'join__field'))
        if (typeof requires === 'string') requiring.push({ type: type.name.value, field: field.name.value, requires });
    }
  }
  const facts: DefinedTypes = { ofFields, members };
  const direct = new Map<string, Set<string>>();
  for (const { type, field, requires } of requiring) {
    const key = `${type}.${field}`;
    const found = direct.get(key) ?? new Set();
    direct.set(key, found);
    collectCoordinates(parseFieldSet(requires), type, facts, found);
  }
  return new Map([...direct.keys()].map((key) => [key, closureOf(key, direct)]));
}

function collectCoordinates(
  selections: readonly SelectionNode[],
  type: string,
  facts: DefinedTypes,
  found: Set<string>,
): void {
  for (const selection of selections) {
    if (selection.kind === Kind.INLINE_FRAGMENT)
      collectCoordinates(selection.selectionSet.selections, selection.typeCondition?.name.value ?? type, facts, found);
    if (selection.kind !== Kind.FIELD) continue;
    for (const one of [type, ...(facts.members.get(type) ?? [])]) found.add(one).add(`${one}.${selection.name.value}`);
    const own = facts.ofFields.get(`${type}.${selection.name.value}`);
    if (own === undefined) continue;
    found.add(own);
    collectCoordinates(selection.selectionSet?.selections ?? [], own, facts, found);
  }
}

/** Adds the coordinates that the required fields require themselves. */
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
