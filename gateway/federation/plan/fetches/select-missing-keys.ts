import type { RequiresSelection } from '@graphql-hive/router-query-planner';
import { type FieldNode, Kind, type SelectionNode } from 'graphql';
import type { SupergraphTypes } from '../../../supergraph/index.ts';
import { fragmentNode, nameNode } from '../../../syntax/index.ts';
import { responseKey } from './fold-fetches.ts';
import { type EntityFetch, type EntityPath, type Fetch, fieldKeysOf, precedes, rootName } from './plan-fetches.ts';
import { fieldsAt } from './repair-requirements.ts';
import { ownType } from './restore-possible-types.ts';
import { canBeOne } from './separate-requirements.ts';

/**
 * Selects the keys that a fetch requires of objects and that no fetch before it has selected, in the fetches that return the
 * objects. The planner (0.0.38) leaves them out where an interface object's subgraph returns the objects and it asks that
 * subgraph about them again.
 */
export function selectMissingKeys(fetches: readonly Fetch[], types: SupergraphTypes): readonly Fetch[] {
  if (!types.hasInterfaceObjects) return fetches;
  let current = fetches;
  for (const fetch of fetches) {
    if (fetch.kind !== 'entities') continue;
    for (const path of fetch.paths) {
      const missing = missingKeys(fetch, path, current, types);
      if (missing.length === 0) continue;
      current = current.map((other) => (precedes(other, fetch) ? withKeys(other, path, missing, types) : other));
    }
  }
  return current;
}

/** A plain field of a key, and the type that it is required of. */
interface MissingKey {
  readonly name: string;
  readonly type: string;
}

function missingKeys(
  fetch: EntityFetch,
  path: EntityPath,
  fetches: readonly Fetch[],
  types: SupergraphTypes,
): readonly MissingKey[] {
  const needed = fetch.requires.flatMap((one) =>
    one.kind === 'InlineFragment' ? plainFields(one.selections, one.typeCondition) : [],
  );
  if (needed.length === 0) return [];
  const before = fetches.filter((other) => precedes(other, fetch));
  const produced = before.flatMap((other) => fieldsAt(other, path));
  const isKnown = ({ name, type }: MissingKey) =>
    produced.some(({ field, type: of }) => responseKey(field) === name && canBeOne(of, type, types));
  const missing = needed.filter((one) => !isKnown(one) && isKey(one.name, one.type, types));
  return [...new Map(missing.map((one) => [`${one.type}.${one.name}`, one])).values()];
}

function plainFields(selections: readonly RequiresSelection[], type: string): readonly MissingKey[] {
  return selections.flatMap((one) =>
    one.kind === 'Field' && one.name !== '__typename' && one.alias === undefined && !one.selections?.length
      ? [{ name: one.name, type }]
      : [],
  );
}

function isKey(name: string, type: string, types: SupergraphTypes): boolean {
  return types.services.keysOf(type).some(({ key }) => key.split(/\W+/).includes(name));
}

/** A fetch with the keys of the objects at a path, where it returns them. */
function withKeys(fetch: Fetch, path: EntityPath, missing: readonly MissingKey[], types: SupergraphTypes): Fetch {
  const keys = fieldKeysOf(path);
  const bases = fetch.kind === 'entities' ? fetch.paths.map(fieldKeysOf) : [[]];
  if (bases.length > 1) return fetch;
  const [base = []] = bases;
  if (base.length >= keys.length || base.some((key, at) => key !== keys[at])) return fetch;
  const root = fetch.kind === 'root' ? rootName(fetch.node.operationKind) : undefined;
  const selections = selectAt(fetch.selections, keys.slice(base.length), root, {
    service: fetch.service,
    missing,
    types,
  });
  return selections === fetch.selections ? fetch : { ...fetch, selections };
}

interface KeyScope {
  readonly service: string;
  readonly missing: readonly MissingKey[];
  readonly types: SupergraphTypes;
}

/** @param type undefined where only fragments say it. */
function selectAt(
  selections: readonly SelectionNode[],
  [key, ...rest]: readonly string[],
  type: string | undefined,
  scope: KeyScope,
): readonly SelectionNode[] {
  if (key === undefined) return type === undefined ? selections : withMissing(selections, type, scope);
  let isChanged = false;
  const changed = selections.map((selection): SelectionNode => {
    if (selection.kind === Kind.FRAGMENT_SPREAD || !selection.selectionSet) return selection;
    const below = selection.selectionSet.selections;
    const inner =
      selection.kind === Kind.INLINE_FRAGMENT
        ? selectAt(below, [key, ...rest], selection.typeCondition?.name.value ?? type, scope)
        : selectBelow(selection, below, [key, ...rest], type, scope);
    if (inner === below) return selection;
    isChanged = true;
    return { ...selection, selectionSet: { kind: Kind.SELECTION_SET, selections: inner } };
  });
  return isChanged ? changed : selections;
}

function selectBelow(
  field: FieldNode,
  below: readonly SelectionNode[],
  [key, ...rest]: readonly string[],
  parent: string | undefined,
  scope: KeyScope,
): readonly SelectionNode[] {
  if (responseKey(field) !== key || parent === undefined) return below;
  const type = ownType(scope.types.subgraphType(scope.service, parent, field.name.value));
  return selectAt(below, rest, type, scope);
}

function withMissing(
  selections: readonly SelectionNode[],
  type: string,
  { service, missing, types }: KeyScope,
): readonly SelectionNode[] {
  const added = new Map<string, SelectionNode>();
  for (const { name, type: required } of missing) {
    const field: FieldNode = { kind: Kind.FIELD, name: nameNode(name) };
    if (types.services.answers(service, type, name)) added.set(name, field);
    else if (types.isAbstract(type) && types.isA(required, type) && types.services.answers(service, required, name))
      added.set(`${required}.${name}`, fragmentNode(required, [field]));
  }
  return added.size === 0 ? selections : [...selections, ...added.values()];
}
