import { type SupergraphTypes, typeNameIn } from '../../supergraph/index.ts';
import { isList, isObject, type Json, type JsonObject } from '../json.ts';
import { type Fetch, fieldsOf, fieldTypeIn, type OperationPlan, responseKey, type TypedField } from '../plan/index.ts';
import type { ObjectShape } from '../response/index.ts';

/*
 * A service that returns nested lists returns the same object many times, such as each review with its author, who has
 * reviews. Equal objects of one place become a single object. Fetched fields are then merged into it once, and its text
 * is written once.
 */

/** An object that occurs several times at one place of the data. */
export interface RepeatedObject {
  /** The number of the last search that found the object. */
  search: number;
  /** The shape with which the object was last written. `text` is its text. */
  shape: ObjectShape | undefined;
  text: string | undefined;
}

/** The objects of one run that occur several times at one place. */
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

  /** Returns the number of a new search, which finds each object once. */
  beginSearch(): number {
    this.#searches++;
    return this.#searches;
  }
}

/** Replaces equal objects below a value of a response with a single object, in place. */
export type ShareRepeated = (value: Json, repeated: RepeatedObjects) => void;

/** The sharing of repeated objects in the responses to a fetch. */
export interface Sharing {
  /** Undefined if no objects can be shared. */
  readonly share: ShareRepeated | undefined;
  /** The places of objects, without those below which no objects can be shared. */
  readonly places: readonly PlaceNode[];
  /** The response keys of objects that can be shared at all places of the key. */
  readonly sharedKeys: ReadonlySet<string>;
  /** The response keys of other objects. */
  readonly otherKeys: ReadonlySet<string>;
}

/** The objects that a service returns at one place of the data. */
export interface PlaceNode {
  /** The response key of the objects. */
  readonly key: string;
  /** The response key that distinguishes most objects. Undefined if repeated objects are not searched for. */
  readonly idKey: string | undefined;
  /** The response keys of values without fields. */
  readonly leaves: readonly string[];
  readonly below: readonly PlaceNode[];
  /** The index of the pool that the place uses. */
  readonly pool: number;
}

/** Objects that were found at one place, by id. */
interface Pool {
  readonly byId: Map<string | number, JsonObject>;
  found: number;
  repeated: number;
}

/** The number of objects of a place that are examined before the search may be given up. */
const TRIED_OBJECTS = 64;
/** If fewer than one in this many objects repeat, the search is given up. */
const LEAST_REPEATED = 8;

/** Places of the data, by the response keys that lead there. */
export type PlacesOfOneFetch = ReadonlySet<string>;

/**
 * The places of the data whose objects come from a single fetch. If two fetches return parts of an object below others,
 * the parts depend on the surrounding objects. The same applies to fields that are fetched below some types only, since
 * another fetch may give the key another value below other types.
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
 * Compiles the sharing of repeated objects.
 * @param fetch the fetch, whose response has the keys of the data
 * @param type the type of its selections, if no fragment names one
 * @param places the result of `placesOfOneFetch`
 */
export function compileSharing(
  { service, path, selections }: Pick<Fetch, 'service' | 'path' | 'selections'>,
  type: string | undefined,
  places: PlacesOfOneFetch,
  types: SupergraphTypes,
): Sharing {
  let pools = 0;
  const sharedKeys = new Set<string>();
  const otherKeys = new Set<string>();
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
      (idKey === undefined ? otherKeys : sharedKeys).add(key);
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
  for (const key of otherKeys) sharedKeys.delete(key);
  const share: ShareRepeated = (value, repeated) => {
    const found: (Pool | undefined)[] = Array.from({ length: pools });
    shareBelow(value, nodes, found, repeated);
  };
  return { share: nodes.some(canShare) ? share : undefined, places: nodes, sharedKeys, otherKeys };
}

function canShare({ idKey, below }: PlaceNode): boolean {
  return idKey !== undefined || below.some(canShare);
}

/** The key of the first field that is an ID or a key of the type. */
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
  const id = node.idKey === undefined ? undefined : value[node.idKey];
  const hasId = typeof id === 'string' || typeof id === 'number';
  let pool = pools[node.pool];
  const known = hasId ? pool?.byId.get(id) : undefined;
  // Objects of equal texts are a single object already.
  if (known !== value && node.below.length > 0) shareBelow(value, node.below, pools, repeated);
  if (!hasId) return value;
  if (pool === undefined) {
    pool = { byId: new Map(), found: 0, repeated: 0 };
    pools[node.pool] = pool;
  }
  if (pool.found >= TRIED_OBJECTS && pool.repeated * LEAST_REPEATED < pool.found) return value;
  pool.found++;
  if (known === undefined) pool.byId.set(id, value);
  else if (known === value || hasEqualFields(known, value, node)) {
    pool.repeated++;
    repeated.add(known);
    return known;
  }
  return value;
}

/**
 * Whether all selected fields of two values are equal. Equal objects with ids are already a single object and are not
 * compared again. Otherwise a service could make the comparison arbitrarily slow with levels that only differ at the
 * end.
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
