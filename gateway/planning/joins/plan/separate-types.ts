import { type FieldNode, Kind, type SelectionNode } from 'graphql';
import { nameNode } from '../../../graphql/syntax/index.ts';
import { typeNameIn } from '../../supergraph/index.ts';
import { fieldsOf, responseKey } from './selected-fields.ts';

/** A response key that replaces another one in a fetch. */
export interface RenamedKey {
  /** The keys from the root of the fetch to the field, including the new key itself. */
  readonly path: readonly string[];
  readonly key: string;
}

/**
 * Gives fields of different types separate response keys if a service would reject a common one (GraphQL 5.3.2). A
 * field may be non-null or a list on one type only, although the client selects it on the common interface.
 *
 * @param type the type of the selections, if it is known
 * @param typeOf the type of a field in the service, as SDL
 */
export function separateTypes(
  selections: readonly SelectionNode[],
  type: string | undefined,
  typeOf: (parent: string, field: string) => string | undefined,
): { readonly selections: readonly SelectionNode[]; readonly renamed: readonly RenamedKey[] } {
  // Fields of a single type never conflict.
  const [only, ...others] = selections;
  const isOfOneType = only?.kind === Kind.INLINE_FRAGMENT && others.length === 0;
  const top = isOfOneType ? only.selectionSet.selections : selections;
  if (!top.some(hasConditions)) return { selections, renamed: [] };
  const renamed: RenamedKey[] = [];
  const [separated = []] = separate([{ selections, type }], [], { typeOf, renamed });
  return renamed.length === 0 ? { selections, renamed } : { selections: separated, renamed };
}

/** Whether a selection is a fragment or contains one. */
function hasConditions(selection: SelectionNode): boolean {
  return selection.kind !== Kind.FIELD || selection.selectionSet?.selections.some(hasConditions) === true;
}

/** Selections and the type that they are selected on, if it is known. */
interface TypedSelections {
  readonly selections: readonly SelectionNode[];
  readonly type: string | undefined;
}

interface SeparateScope {
  typeOf(parent: string, field: string): string | undefined;
  /** The original keys of fields that got a new key, outer ones first. */
  readonly renamed: RenamedKey[];
}

/**
 * @param sets the selections at one path, in several fields with the same response key
 * @param path the original response keys that lead there
 */
function separate(
  sets: readonly TypedSelections[],
  path: readonly string[],
  scope: SeparateScope,
): (readonly SelectionNode[])[] {
  const occurrences = sets.flatMap(({ selections, type }) => fieldsOf(selections, type));
  const shapes = new Map<string, string[]>();
  /** The fields of one response key, by index. */
  const groups = new Map<string, number[]>();
  const aliases = occurrences.map(({ field, type }, index) => {
    const key = responseKey(field);
    const own = type && scope.typeOf(type, field.name.value);
    const shape = shapeOf(field, own);
    const known = shapes.get(key) ?? [];
    if (!known.includes(shape)) shapes.set(key, [...known, shape]);
    const alias = aliasOf(key, known.includes(shape) ? known.indexOf(shape) : known.length);
    if (alias !== key && !groups.has(alias)) scope.renamed.push({ path: [...path, alias], key });
    const group = groups.get(alias);
    if (group) group.push(index);
    else groups.set(alias, [index]);
    return alias;
  });
  const below = new Map<number, readonly SelectionNode[]>();
  for (const indices of groups.values()) {
    const fields = indices.flatMap((index) => (occurrences[index]?.field.selectionSet ? [index] : []));
    const [first] = fields;
    if (first === undefined) continue;
    const key = responseKey(occurrences[first]?.field as FieldNode);
    const inner = fields.map((index): TypedSelections => {
      const { field, type } = occurrences[index] as { field: FieldNode; type: string | undefined };
      const own = type && scope.typeOf(type, field.name.value);
      return { selections: field.selectionSet?.selections ?? [], type: own && typeNameIn(own) };
    });
    separate(inner, [...path, key], scope).forEach((selections, at) => void below.set(fields[at] ?? 0, selections));
  }
  return rebuild(sets, aliases, below);
}

/** The shape that must be the same for all fields of one response key. */
function shapeOf(field: FieldNode, type: string | undefined): string {
  return (field.selectionSet ? type?.replace(/\w+/, '') : type) ?? '';
}

function aliasOf(key: string, shape: number): string {
  return shape === 0 ? key : `_t${shape}_${key}`;
}

/** The selections with new response keys and new selections below. Both are in the order of `fieldsOf`. */
function rebuild(
  sets: readonly TypedSelections[],
  aliases: readonly string[],
  below: ReadonlyMap<number, readonly SelectionNode[]>,
): (readonly SelectionNode[])[] {
  let next = 0;
  const rebuilt = (selections: readonly SelectionNode[]): readonly SelectionNode[] =>
    selections.map((selection): SelectionNode => {
      if (selection.kind === Kind.FRAGMENT_SPREAD) return selection;
      if (selection.kind === Kind.INLINE_FRAGMENT)
        return { ...selection, selectionSet: withSelections(rebuilt(selection.selectionSet.selections)) };
      const index = next++;
      const alias = aliases[index] ?? responseKey(selection);
      const own = below.get(index);
      return {
        ...selection,
        ...(alias !== responseKey(selection) && { alias: nameNode(alias) }),
        ...(own && { selectionSet: withSelections(own) }),
      };
    });
  return sets.map(({ selections }) => rebuilt(selections));
}

const withSelections = (selections: readonly SelectionNode[]) => ({ kind: Kind.SELECTION_SET, selections }) as const;
