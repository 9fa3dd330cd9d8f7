import type { FetchNodePathSegment, OutputRewrite } from '@graphql-hive/router-query-planner';
import { type FieldNode, Kind, print, type SelectionNode } from 'graphql';
import type { SupergraphTypes } from '../../../supergraph/index.ts';
import { nameNode } from '../../../syntax/index.ts';
import { byResponseKey, fieldsOf, responseKey } from './fold-fetches.ts';
import { type Fetch, rootName } from './plan-fetches.ts';
import { canBeOne } from './separate-requirements.ts';

/**
 * Selects fields under the response keys that the planner's rewrites give them after the fetch. The planner (0.0.38) uses one
 * alias for different fields of several types, each with a rewrite for its type: the path of an error would not say which of
 * them failed. `separateTypes` then gives a key of its own to what a subgraph would reject.
 */
export function restoreResponseKeys(fetches: readonly Fetch[], types: SupergraphTypes): readonly Fetch[] {
  return fetches.map((fetch) => {
    if (fetch.outputRewrites.length === 0) return fetch;
    const root = fetch.kind === 'entities' ? undefined : rootName(fetch.node.operationKind);
    const selections = restored(fetch.selections, fetch.outputRewrites, root, types);
    return selections ? { ...fetch, selections, outputRewrites: [] } : fetch;
  });
}

/** Undefined where the selections cannot say the same as the rewrites. */
function restored(
  selections: readonly SelectionNode[],
  rewrites: readonly OutputRewrite[],
  root: string | undefined,
  types: SupergraphTypes,
): readonly SelectionNode[] | undefined {
  let current: readonly SelectionNode[] | undefined = selections;
  for (const rewrite of rewrites) {
    if (!current || !('KeyRenamer' in rewrite)) return undefined;
    const { path, renameKeyTo } = rewrite.KeyRenamer;
    current = renamed(current, path, { type: root, renameKeyTo, types });
  }
  return current && isUnambiguous([{ selections: current, type: root }], types) ? current : undefined;
}

interface RenameScope {
  /** The type of the objects; undefined where only fragments say it. */
  readonly type: string | undefined;
  readonly renameKeyTo: string;
  readonly types: SupergraphTypes;
}

function renamed(
  selections: readonly SelectionNode[],
  path: readonly FetchNodePathSegment[],
  scope: RenameScope,
): readonly SelectionNode[] | undefined {
  const [segment, ...rest] = path;
  if (!segment) return selections;
  const { type, types } = scope;
  if ('TypenameEquals' in segment) {
    const conditions = [segment.TypenameEquals].flat();
    if (type !== undefined && conditions.some((one) => types.isA(type, one))) return renamed(selections, rest, scope);
    if (type !== undefined && !conditions.some((one) => types.isA(one, type))) return selections;
  }
  const changed: SelectionNode[] = [];
  for (const selection of selections) {
    const one = renamedSelection(selection, path, scope);
    if (!one) return undefined;
    changed.push(one);
  }
  return changed;
}

function renamedSelection(
  selection: SelectionNode,
  path: readonly FetchNodePathSegment[],
  scope: RenameScope,
): SelectionNode | undefined {
  const [segment, ...rest] = path;
  if (!segment || selection.kind === Kind.FRAGMENT_SPREAD) return undefined;
  if (selection.kind === Kind.INLINE_FRAGMENT) {
    const type = selection.typeCondition?.name.value ?? scope.type;
    const below = renamed(selection.selectionSet.selections, path, { ...scope, type });
    return below && { ...selection, selectionSet: { kind: Kind.SELECTION_SET, selections: below } };
  }
  // The rewrite is for some of the types that the field is selected on.
  if ('TypenameEquals' in segment) return path.some(isKeyOf(selection)) ? undefined : selection;
  if (segment.Key !== responseKey(selection)) return selection;
  if (rest.length === 0) return withKey(selection, scope.renameKeyTo);
  if (!selection.selectionSet) return selection;
  const type = scope.type && scope.types.fieldType(scope.type, selection.name.value);
  const below = renamed(selection.selectionSet.selections, rest, { ...scope, type });
  return below && { ...selection, selectionSet: { kind: Kind.SELECTION_SET, selections: below } };
}

function isKeyOf(field: FieldNode): (segment: FetchNodePathSegment) => boolean {
  return (segment) => 'Key' in segment && segment.Key === responseKey(field);
}

function withKey({ alias: _, ...field }: FieldNode, key: string): FieldNode {
  return key === field.name.value ? field : { ...field, alias: nameNode(key) };
}

interface TypedSelections {
  readonly selections: readonly SelectionNode[];
  readonly type: string | undefined;
}

/** Whether the fields of each response key are the same field with the same arguments for each type of objects. */
function isUnambiguous(sets: readonly TypedSelections[], types: SupergraphTypes): boolean {
  const fields = sets.flatMap(({ selections, type }) => fieldsOf(selections, type));
  return [...byResponseKey(fields, ({ field }) => field).values()].every((same) => {
    const texts = new Map<string | undefined, string>();
    for (const { field, type } of same) {
      const text = shallowText(field);
      for (const [other, known] of texts) if (known !== text && canBeOne(type, other, types)) return false;
      texts.set(type, text);
    }
    const below = same.flatMap(({ field, type }): TypedSelections[] => {
      if (!field.selectionSet) return [];
      return [{ selections: field.selectionSet.selections, type: type && types.fieldType(type, field.name.value) }];
    });
    return below.length === 0 || isUnambiguous(below, types);
  });
}

function shallowText({ selectionSet: _, ...field }: FieldNode): string {
  return print(field);
}
