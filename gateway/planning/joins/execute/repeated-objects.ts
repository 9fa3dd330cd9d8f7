import { type SupergraphTypes, typeNameIn } from '../../supergraph/index.ts';
import { isList, isObject, type Json, type JsonObject } from '../json.ts';
import { type Fetch, fieldsOf, type OperationPlan, responseKey, type TypedField } from '../plan/index.ts';
import type { ObjectShape } from '../response/index.ts';
import { fieldTypeIn } from './entity-request.ts';

/*
 * A service that returns lists of lists returns the same object many times: each review with its author, who has reviews. Equal
 * objects of one place become one object, so that what is fetched for an object is merged into it once, and its text is written once.
 */

/** An object that stands several times at one place of the data. */
export interface RepeatedObject {
  /** The search that came by last. */
  search: number;
  /** The shape that it was written in last, and its text. */
  shape: ObjectShape | undefined;
  text: string | undefined;
}

/** The objects of one run that stand several times at one place. */
export class RepeatedObjects {
  #known: Map<JsonObject, RepeatedObject> | undefined;
  #searches = 0;

  get isEmpty(): boolean {
    return this.#known === undefined;
  }

  add(object: JsonObject): void {
    this.#known ??= new Map();
    if (!this.#known.has(object)) this.#known.set(object, { search: 0, shape: undefined, text: undefined });
  }

  get(object: JsonObject): RepeatedObject | undefined {
    return this.#known?.get(object);
  }

  /** The number of a search that comes by each object once. */
  beginSearch(): number {
    this.#searches++;
    return this.#searches;
  }
}

/** Makes equal objects below a value of a response one object, in place. */
export type ShareRepeated = (value: Json, repeated: RepeatedObjects) => void;

/** The objects that a service returns at one place of the data. */
interface PlaceNode {
  /** The response key under which they are. */
  readonly key: string;
  /** The response key that tells most of them apart; undefined where they are not looked for. */
  readonly idKey: string | undefined;
  /** The response keys of values without fields. */
  readonly leaves: readonly string[];
  readonly below: readonly PlaceNode[];
  /** The position of their pool. */
  readonly pool: number;
}

/** Objects that were found at one place, by their ids. */
interface Pool {
  readonly byId: Map<string | number, JsonObject>;
  found: number;
  repeated: number;
}

/** So many objects of a place are looked at before it shows that they do not repeat. */
const TRIED_OBJECTS = 64;
/** Less than one of so many repeats is not worth looking for. */
const LEAST_REPEATED = 8;

/** Places of the data, by the response keys that lead there. */
export type PlacesOfOneFetch = ReadonlySet<string>;

/**
 * The places of the data where objects come from one fetch alone. Where two fetches return parts of one object below others, the
 * parts depend on the objects around it. So does what is fetched for objects below some types only: another fetch may give the same
 * key another value below other types.
 */
export function placesOfOneFetch({ waves }: OperationPlan): PlacesOfOneFetch {
  const counts = new Map<string, number>();
  const add = (path: readonly string[], selections: Fetch['selections']) => {
    for (const [key, fields] of fieldsByKey(fieldsOf(selections, undefined))) {
      const below = belowOf(fields);
      if (below.length === 0) continue;
      const place = placeOf([...path, key]);
      counts.set(place, (counts.get(place) ?? 0) + 1);
      add([...path, key], below);
    }
  };
  const ofSomeTypes = new Set<string>();
  for (const { path, selections, calls } of waves.flat()) {
    const keys = path.map(({ key }) => key);
    const from = path.findIndex(({ types }) => types !== undefined);
    if (from >= 0)
      for (let length = from + 1; length <= keys.length; length++) ofSomeTypes.add(placeOf(keys.slice(0, length)));
    add(keys, selections);
    for (const { field, selections: ofCall } of calls) {
      if (field === undefined) add(keys, ofCall);
      else {
        const place = placeOf([...keys, field]);
        counts.set(place, (counts.get(place) ?? 0) + 1);
        add([...keys, field], ofCall);
      }
    }
  }
  return new Set([...counts].flatMap(([place, count]) => (count === 1 && !ofSomeTypes.has(place) ? [place] : [])));
}

/**
 * @param fetch what a service is asked for; its response has the keys of the data
 * @param type the type that its selections are of, where no fragment says it
 * @param places those of `placesOfOneFetch`
 * @returns undefined where no object can be found again
 */
export function compileSharing(
  { service, path, selections }: Pick<Fetch, 'service' | 'path' | 'selections'>,
  type: string | undefined,
  places: PlacesOfOneFetch,
  types: SupergraphTypes,
): ShareRepeated | undefined {
  let pools = 0;
  const nodesOf = (fields: readonly TypedField[], above: readonly string[], isInList: boolean): PlaceNode[] =>
    [...fieldsByKey(fields)].flatMap(([key, same]): PlaceNode[] => {
      if (belowOf(same).length === 0) return [];
      const here = [...above, key];
      const typed = same.map(({ field, type: parent }) => ({
        field,
        type: parent === undefined ? undefined : fieldTypeIn(types, service, parent, field.name.value),
      }));
      const inside = typed.flatMap(({ field, type: own }) =>
        fieldsOf(field.selectionSet?.selections ?? [], own === undefined ? undefined : typeNameIn(own)),
      );
      const isList = typed.some(({ type: own }) => own?.startsWith('[') === true);
      const below = nodesOf(inside, here, isInList || isList);
      const canRepeat = isInList && places.has(placeOf(here));
      const idKey = canRepeat ? idKeyOf(inside, service, types) : undefined;
      if (idKey === undefined && below.length === 0) return [];
      const leaves = [...fieldsByKey(inside)].flatMap(([one, fields]) => (belowOf(fields).length === 0 ? [one] : []));
      return [{ key, idKey, leaves, below, pool: pools++ }];
    });
  const isInList = path.some((step) => step.isList);
  const nodes = nodesOf(
    fieldsOf(selections, type),
    path.map(({ key }) => key),
    isInList,
  );
  if (!nodes.some(canShare)) return undefined;
  return (value, repeated) => {
    const found: (Pool | undefined)[] = Array.from({ length: pools });
    shareBelow(value, nodes, found, repeated);
  };
}

function canShare({ idKey, below }: PlaceNode): boolean {
  return idKey !== undefined || below.some(canShare);
}

/** The key of the first field that is an id, or a key of the type. */
function idKeyOf(fields: readonly TypedField[], service: string, types: SupergraphTypes): string | undefined {
  for (const { field, type } of fields) {
    if (type === undefined) continue;
    const { value: name } = field.name;
    const isId = fieldTypeIn(types, service, type, name)?.startsWith('ID') === true;
    if (isId || types.type(type)?.in(service)?.allKeys.includes(name)) return responseKey(field);
  }
  return undefined;
}

function shareBelow(
  value: Json | undefined,
  nodes: readonly PlaceNode[],
  pools: (Pool | undefined)[],
  repeated: RepeatedObjects,
): void {
  if (isList(value)) for (const item of value) shareBelow(item, nodes, pools, repeated);
  else if (isObject(value))
    for (const node of nodes) {
      const below = value[node.key];
      if (typeof below !== 'object' || below === null) continue;
      const shared = share(below, node, pools, repeated);
      if (shared !== below) value[node.key] = shared;
    }
}

function share(value: Json, node: PlaceNode, pools: (Pool | undefined)[], repeated: RepeatedObjects): Json {
  if (isList(value)) {
    for (let at = 0; at < value.length; at++) {
      const item = value[at];
      if (item === undefined) continue;
      const shared = share(item, node, pools, repeated);
      if (shared !== item) (value as Json[])[at] = shared;
    }
    return value;
  }
  if (!isObject(value)) return value;
  if (node.below.length > 0) shareBelow(value, node.below, pools, repeated);
  if (node.idKey === undefined) return value;
  const id = value[node.idKey];
  if (typeof id !== 'string' && typeof id !== 'number') return value;
  let pool = pools[node.pool];
  if (pool === undefined) {
    pool = { byId: new Map(), found: 0, repeated: 0 };
    pools[node.pool] = pool;
  }
  if (pool.found >= TRIED_OBJECTS && pool.repeated * LEAST_REPEATED < pool.found) return value;
  pool.found++;
  const known = pool.byId.get(id);
  if (known === undefined) pool.byId.set(id, value);
  else if (hasEqualFields(known, value, node)) {
    pool.repeated++;
    repeated.add(known);
    return known;
  }
  return value;
}

/**
 * Whether two values have the same in all that was selected of them. Objects with ids, which are one object already where they are
 * equal, are not looked into again: a service would make that take as long as it likes by levels that differ at the last.
 */
function isEqual(one: Json | undefined, other: Json | undefined, node: PlaceNode | undefined): boolean {
  if (one === other) return true;
  if (isList(one)) {
    if (!isList(other) || one.length !== other.length) return false;
    for (let at = 0; at < one.length; at++)
      if (one[at] !== other[at] && !isEqual(one[at], other[at], node)) return false;
    return true;
  }
  if (!node || node.idKey !== undefined) return false;
  return isObject(one) && isObject(other) && hasEqualFields(one, other, node);
}

function hasEqualFields(one: JsonObject, other: JsonObject, { leaves, below }: PlaceNode): boolean {
  for (const key of leaves) if (one[key] !== other[key] && !isEqual(one[key], other[key], undefined)) return false;
  for (const node of below) if (!isEqual(one[node.key], other[node.key], node)) return false;
  return true;
}

function fieldsByKey(fields: readonly TypedField[]): ReadonlyMap<string, readonly TypedField[]> {
  const found = new Map<string, TypedField[]>();
  for (const one of fields) {
    const key = responseKey(one.field);
    const known = found.get(key);
    if (known) known.push(one);
    else found.set(key, [one]);
  }
  return found;
}

function belowOf(fields: readonly TypedField[]): Fetch['selections'] {
  return fields.flatMap(({ field }) => field.selectionSet?.selections ?? []);
}

function placeOf(keys: readonly string[]): string {
  return keys.join(' ');
}
