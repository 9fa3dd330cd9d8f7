import type { RequiresSelection } from '@graphql-hive/router-query-planner';
import { type FieldNode, Kind, print, type SelectionNode } from 'graphql';
import type { SupergraphTypes } from '../../../supergraph/index.ts';
import type { EntityFetch, EntityPath, Fetch } from './plan-fetches.ts';
import { precedes, rootName } from './plan-fetches.ts';

/**
 * Removes fetches of entities from the subgraph that has returned these entities: their fields are selected in the earlier
 * fetch. The planner leaves such fetches where it finds a requirement late.
 */
export function foldFetches(fetches: readonly Fetch[], types: SupergraphTypes): Fetch[] {
  let folded = [...fetches];
  for (const fetch of fetches) {
    if (fetch.kind !== 'entities' || fetch.inputRewrites.length > 0 || fetch.outputRewrites.length > 0) continue;
    const current = folded.indexOf(fetch);
    let changed: Fetch[] | undefined = folded;
    for (const path of fetch.paths) changed = changed && foldInto(changed, fetch, path, types);
    if (current >= 0 && changed) folded = changed.filter((one) => one !== fetch);
  }
  return folded;
}

/** The fetches with the selections of a fetch at one place selected in an earlier one; undefined when none allows it. */
function foldInto(fetches: readonly Fetch[], fetch: EntityFetch, path: EntityPath, types: SupergraphTypes) {
  for (const [index, source] of fetches.entries()) {
    if (source === fetch || source.service !== fetch.service || source.outputRewrites.length > 0) continue;
    if (!precedes(source, fetch)) continue;
    const rest = source.kind === 'root' ? path : pathBelow(source, path);
    if (!rest?.some((segment) => segment !== '@' && 'Field' in segment)) continue;
    const root = rootType(source);
    const selections = selectAt(source.selections, rest, fetch, { type: root, conditions: root ? [root] : [] }, types);
    if (!selections) continue;
    const variables = [...source.variables];
    for (const one of fetch.variables) {
      if (!variables.some(({ variable }) => variable.name.value === one.variable.name.value)) variables.push(one);
    }
    const changed: Fetch = { ...source, selections, variables };
    return fetches.map((other, at) => (at === index ? changed : other));
  }
  return undefined;
}

function rootType(fetch: Fetch): string | undefined {
  if (fetch.kind === 'entities') return undefined;
  return rootName(fetch.node.operationKind);
}

function pathBelow(source: EntityFetch, path: EntityPath): EntityPath | undefined {
  const [base] = source.paths;
  if (!base || source.paths.length > 1 || base.length >= path.length) return undefined;
  const same = base.every((segment, at) => JSON.stringify(segment) === JSON.stringify(path[at]));
  return same ? path.slice(base.length) : undefined;
}

/** What is known of the objects at a place. */
interface KnownObjects {
  /** The type of the field that they come from. */
  readonly type: string | undefined;
  /** The types of those that a path leads to. */
  readonly conditions: readonly string[];
}

/** The selections with those of the fetch added at the end of a path; undefined where that cannot be done. */
function selectAt(
  selections: readonly SelectionNode[],
  path: EntityPath,
  fetch: EntityFetch,
  place: KnownObjects,
  types: SupergraphTypes,
): readonly SelectionNode[] | undefined {
  const [segment, ...rest] = path;
  if (segment === undefined) return addSelections(selections, fetch, place.type, types);
  if (segment === '@') return selectAt(selections, rest, fetch, place, types);
  if (!('Field' in segment))
    return selectAt(selections, rest, fetch, { ...place, conditions: segment.TypeCondition }, types);
  const holders = fieldsOf(selections, place.type).filter(({ field }) => responseKey(field) === segment.Field);
  const [holder] = holders;
  if (!holder || holders.length > 1) return undefined;
  const { field, type } = holder;
  // Objects of other types have this field from elsewhere.
  if (type !== undefined && !place.conditions.every((condition) => types.isA(condition, type))) return undefined;
  const below = field.selectionSet?.selections;
  const fieldType = type && types.fieldType(type, field.name.value);
  const fieldPlace = { type: fieldType, conditions: fieldType ? [fieldType] : [] };
  const changed = below && selectAt(below, rest, fetch, fieldPlace, types);
  return changed && replaceField(selections, field, changed);
}

function addSelections(
  selections: readonly SelectionNode[],
  fetch: EntityFetch,
  type: string | undefined,
  types: SupergraphTypes,
): readonly SelectionNode[] | undefined {
  for (const required of fetch.requires) {
    if (required.kind !== 'InlineFragment') return undefined;
    // The subgraph is known to have objects of the type here only if some were selected, or if it has no others.
    const own = type === required.typeCondition ? selections : conditioned(selections, required.typeCondition);
    if (!own || !holds(own, required.selections)) return undefined;
  }
  if (needsRepresentations(fetch, types)) return undefined;
  const added = fetch.selections.flatMap((selection) => (selection.kind === Kind.INLINE_FRAGMENT ? [selection] : []));
  if (added.length !== fetch.selections.length || !agree(selections, added)) return undefined;
  return [...selections, ...added];
}

/**
 * Whether a field requires one that its subgraph does not resolve itself. A selected field of that name is one that the
 * subgraph provides at this path only: it is not known to reach the resolver.
 */
function needsRepresentations({ service, selections }: EntityFetch, types: SupergraphTypes): boolean {
  const resolves = (required: readonly SelectionNode[], parent: string | undefined): boolean =>
    fieldsOf(required, parent).every(({ field: { name, selectionSet }, type }) => {
      if (type === undefined || !types.services.answers(service, type, name.value)) return false;
      return !selectionSet || resolves(selectionSet.selections, types.fieldType(type, name.value));
    });
  return fieldsOf(selections, undefined).some(
    ({ field, type }) => type !== undefined && !resolves(types.requirementsOf(service, type, field.name.value), type),
  );
}

function conditioned(selections: readonly SelectionNode[], type: string): readonly SelectionNode[] | undefined {
  const fragments = selections.flatMap((selection) =>
    selection.kind === Kind.INLINE_FRAGMENT && selection.typeCondition?.name.value === type ? [selection] : [],
  );
  if (fragments.length === 0) return undefined;
  const common = selections.filter(({ kind }) => kind === Kind.FIELD);
  return [...common, ...fragments.flatMap(({ selectionSet }) => selectionSet.selections)];
}

/** Whether all required fields are selected, under their own names. */
function holds(selections: readonly SelectionNode[], required: readonly RequiresSelection[]): boolean {
  return required.every((one) => {
    if (one.kind !== 'Field' || (one.alias !== undefined && one.alias !== one.name)) return false;
    if (one.name === '__typename') return true;
    const field = selections.find(
      (selection): selection is FieldNode =>
        selection.kind === Kind.FIELD && !selection.alias && selection.name.value === one.name,
    );
    if (!field || (field.arguments?.length ?? 0) > 0) return false;
    return !one.selections || holds(field.selectionSet?.selections ?? [], one.selections);
  });
}

/** Whether two sets of selections mean the same by every key that both have. */
function agree(ones: readonly SelectionNode[], others: readonly SelectionNode[]): boolean {
  const known = fieldsOf(ones, undefined);
  return fieldsOf(others, undefined).every(({ field }) =>
    known.every(({ field: same }) => {
      if (responseKey(same) !== responseKey(field)) return true;
      if (shallow(same) !== shallow(field)) return false;
      return agree(same.selectionSet?.selections ?? [], field.selectionSet?.selections ?? []);
    }),
  );
}

function shallow({ selectionSet: _, ...field }: FieldNode): string {
  return print(field);
}

export function responseKey({ alias, name }: FieldNode): string {
  return (alias ?? name).value;
}

/** Selected fields, or what goes with them, by their response keys. */
export function byResponseKey<One>(
  selected: readonly One[],
  fieldOf: (one: One) => FieldNode,
): ReadonlyMap<string, readonly One[]> {
  const byKey = new Map<string, One[]>();
  for (const one of selected) {
    const key = responseKey(fieldOf(one));
    const known = byKey.get(key);
    if (known) known.push(one);
    else byKey.set(key, [one]);
  }
  return byKey;
}

/** A field that is selected, and the type of objects that it is selected of; undefined where no fragment says it. */
export interface TypedField {
  readonly field: FieldNode;
  readonly type: string | undefined;
}

/** All fields of a set of selections, those of its fragments too, with the type that has them. */
export function fieldsOf(selections: readonly SelectionNode[], type: string | undefined): TypedField[] {
  return selections.flatMap((selection) => {
    if (selection.kind === Kind.FIELD) return [{ field: selection, type }];
    if (selection.kind !== Kind.INLINE_FRAGMENT) return [];
    return fieldsOf(selection.selectionSet.selections, selection.typeCondition?.name.value ?? type);
  });
}

function replaceField(
  selections: readonly SelectionNode[],
  field: FieldNode,
  below: readonly SelectionNode[],
): readonly SelectionNode[] {
  return selections.map((selection): SelectionNode => {
    if (selection === field) return { ...field, selectionSet: { kind: Kind.SELECTION_SET, selections: below } };
    if (selection.kind !== Kind.INLINE_FRAGMENT) return selection;
    const { selectionSet } = selection;
    return {
      ...selection,
      selectionSet: { ...selectionSet, selections: replaceField(selectionSet.selections, field, below) },
    };
  });
}
