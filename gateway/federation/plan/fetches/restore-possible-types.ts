import {
  type FieldNode,
  type InlineFragmentNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  visit,
} from 'graphql';
import type { SupergraphTypes } from '../../../supergraph/index.ts';
import { fragmentNode } from '../../../syntax/index.ts';
import { byResponseKey, responseKey } from './fold-fetches.ts';
import { type EntityPath, type Fetch, fieldKeysOf, rootName } from './plan-fetches.ts';

/**
 * Restores selections that the planner leaves out where a field of an abstract type is shared by subgraphs with different
 * members of it: it selects only the members that all of them have, even where it has chosen one. Of the chosen one, the
 * members that only it has are selected too.
 * @param operation the planned operation
 */
export function restorePossibleTypes(
  fetches: readonly Fetch[],
  operation: OperationDefinitionNode,
  types: SupergraphTypes,
): readonly Fetch[] {
  const asked = operation.selectionSet.selections;
  return fetches.map((fetch): Fetch => {
    if (fetch.outputRewrites.length > 0) return fetch;
    const [path = []] = entityPathsOf(fetch);
    const keys = fieldKeysOf(path);
    const at = { service: fetch.service, types, others: fetches.filter((other) => other !== fetch) };
    const root = fetch.kind === 'entities' ? undefined : rootName(operation.operation);
    const selections = restore(fetch.selections, askedAt(asked, keys), root, keys, at);
    if (selections === fetch.selections) return fetch;
    return { ...fetch, selections, variables: withVariables(fetch, selections, operation) };
  });
}

interface RestoreScope {
  readonly service: string;
  readonly types: SupergraphTypes;
  readonly others: readonly Fetch[];
}

/** @param type undefined where only fragments say it. */
function restore(
  fetched: readonly SelectionNode[],
  asked: readonly SelectionNode[],
  type: string | undefined,
  path: readonly string[],
  scope: RestoreScope,
): readonly SelectionNode[] {
  let isChanged = false;
  // Hundreds of fields may be selected of one object, so they are looked through once.
  let byKey: ReadonlyMap<string, readonly FieldNode[]> | undefined;
  const sameAs = (field: FieldNode) => {
    byKey ??= byResponseKey(type === undefined ? [] : fieldsOfType(asked, type, scope.types), (one) => one);
    return byKey.get(responseKey(field)) ?? [];
  };
  const changed = fetched.map((selection): SelectionNode => {
    if (selection.kind === Kind.FRAGMENT_SPREAD || !selection.selectionSet) return selection;
    const below = selection.selectionSet.selections;
    const restored =
      selection.kind === Kind.INLINE_FRAGMENT
        ? restore(below, asked, selection.typeCondition?.name.value ?? type, path, scope)
        : restoreField(selection, below, sameAs, type, path, scope);
    if (restored === below) return selection;
    isChanged = true;
    return { ...selection, selectionSet: { kind: Kind.SELECTION_SET, selections: restored } };
  });
  return isChanged ? changed : fetched;
}

function restoreField(
  field: FieldNode,
  below: readonly SelectionNode[],
  sameAs: (field: FieldNode) => readonly FieldNode[],
  parent: string | undefined,
  above: readonly string[],
  scope: RestoreScope,
): readonly SelectionNode[] {
  const { types, service } = scope;
  const type = parent && ownType(types.subgraphType(service, parent, field.name.value));
  if (!parent || !type) return below;
  const wanted = sameAs(field).flatMap(({ selectionSet }) => selectionSet?.selections ?? []);
  if (wanted.length === 0) return below;
  const path = [...above, responseKey(field)];
  const restored = restore(below, wanted, type, path, scope);
  if (!types.services.isPartial(type) || isFetchedElsewhere(path, scope)) return restored;
  const added = [...types.services.membersIn(service, type)].flatMap((member): InlineFragmentNode[] => {
    const keys = new Set(fieldsOfType(restored, member, types).map(responseKey));
    const missing = fieldsOfType(wanted, member, types).filter((one) => !keys.has(responseKey(one)));
    const own = answeredSelections(missing, member, scope);
    return own.length === 0 ? [] : [fragmentNode(member, own)];
  });
  return added.length === 0 ? restored : [...withTypename(restored), ...added];
}

/** The selections that a subgraph resolves without another one. */
function answeredSelections(
  selections: readonly SelectionNode[],
  type: string,
  scope: RestoreScope,
): readonly SelectionNode[] {
  const { services, fieldType, isAbstract } = scope.types;
  return selections.flatMap((selection): SelectionNode[] => {
    if (selection.kind === Kind.FRAGMENT_SPREAD) return [];
    if (selection.kind === Kind.INLINE_FRAGMENT) {
      const condition = selection.typeCondition?.name.value ?? type;
      if (!services.has(scope.service, condition)) return [];
      const below = answeredSelections(selection.selectionSet.selections, condition, scope);
      return below.length === 0 ? [] : [fragmentNode(condition, below)];
    }
    if (!services.answers(scope.service, type, selection.name.value)) return [];
    if (!selection.selectionSet) return [selection];
    const own = fieldType(type, selection.name.value);
    const below = own ? answeredSelections(selection.selectionSet.selections, own, scope) : [];
    if (!own || below.length === 0) return [];
    const selections = isAbstract(own) ? withTypename(below) : below;
    return [{ ...selection, selectionSet: { kind: Kind.SELECTION_SET, selections } }];
  });
}

/** Whether another subgraph resolves the same path too: then it is unknown whose members count. */
function isFetchedElsewhere(path: readonly string[], { others }: RestoreScope): boolean {
  return others.some((fetch) =>
    entityPathsOf(fetch).some((one) => {
      const base = fieldKeysOf(one);
      return base.every((key, at) => key === path[at]) && askedAt(fetch.selections, path.slice(base.length)).length > 0;
    }),
  );
}

function entityPathsOf(fetch: Fetch): readonly EntityPath[] {
  return fetch.kind === 'entities' ? fetch.paths : [[]];
}

/** The name in a type such as `[Thing!]!`. */
/** The name within a type's text, without lists and non-null. */
export function ownType(type: string | undefined): string | undefined {
  return type?.replace(/[[\]!]/g, '');
}

/** The fields of selections that apply to objects of a type; where it is abstract, to some of them. */
export function fieldsOfType(selections: readonly SelectionNode[], type: string, types: SupergraphTypes): FieldNode[] {
  return selections.flatMap((selection): FieldNode[] => {
    if (selection.kind === Kind.FIELD) return [selection];
    if (selection.kind === Kind.FRAGMENT_SPREAD) return [];
    const condition = selection.typeCondition?.name.value ?? type;
    const applies = types.isA(type, condition) || (types.isAbstract(type) && types.isA(condition, type));
    return applies ? fieldsOfType(selection.selectionSet.selections, type, types) : [];
  });
}

/** All selections at a path, whatever the types on the way. */
export function askedAt(asked: readonly SelectionNode[], path: readonly string[]): readonly SelectionNode[] {
  const [key, ...rest] = path;
  if (key === undefined) return asked;
  const below = (selections: readonly SelectionNode[]): readonly SelectionNode[] =>
    selections.flatMap((selection): readonly SelectionNode[] => {
      if (selection.kind === Kind.INLINE_FRAGMENT) return below(selection.selectionSet.selections);
      return selection.kind === Kind.FIELD && responseKey(selection) === key
        ? (selection.selectionSet?.selections ?? [])
        : [];
    });
  return askedAt(below(asked), rest);
}

function withTypename(selections: readonly SelectionNode[]): readonly SelectionNode[] {
  const isThere = selections.some((one) => one.kind === Kind.FIELD && !one.alias && one.name.value === '__typename');
  return isThere ? selections : [{ kind: Kind.FIELD, name: { kind: Kind.NAME, value: '__typename' } }, ...selections];
}

/** The variables of a fetch with those that its selections use now. */
function withVariables(
  fetch: Fetch,
  selections: readonly SelectionNode[],
  { variableDefinitions }: OperationDefinitionNode,
) {
  const used = new Set<string>();
  visit({ kind: Kind.SELECTION_SET, selections }, { Variable: ({ name }) => void used.add(name.value) });
  const own = new Set(fetch.variables.map(({ variable }) => variable.name.value));
  const more = (variableDefinitions ?? []).filter(
    ({ variable: { name } }) => used.has(name.value) && !own.has(name.value),
  );
  return [...fetch.variables, ...more];
}
