import type { SupergraphTypes } from '../../supergraph/index.ts';
import type { JoinError } from '../errors.ts';
import { isObject, type Json, type JsonObject, type ResponsePath } from '../json.ts';
import { type Fetch, fieldsOf, type OperationPlan, responseKey, type Selections } from '../plan/index.ts';
import { errorPlace, type ObjectShape } from '../response/index.ts';
import type { RunError } from './run.ts';

/** A field that is fetched for an object only if the object has another field. */
interface Dependent {
  readonly key: string;
  /** The number of keys that lead from the root to the object. */
  readonly depth: number;
}

/** The dependents of each field that representations contain, by the path of keys to that field. */
export type DependentFields = ReadonlyMap<string, readonly Dependent[]>;

/** The dependents of an operation. They are only needed after an error. */
export function dependentFields(plans: readonly OperationPlan[], types: SupergraphTypes): () => DependentFields {
  let found: DependentFields | undefined;
  return () => {
    found ??= readDependents(plans, types);
    return found;
  };
}

function readDependents(plans: readonly OperationPlan[], types: SupergraphTypes): DependentFields {
  const found = new Map<string, Dependent[]>();
  const add = ({ path }: Fetch, { type, selections }: Fetch['representations'][number], keys: readonly string[]) => {
    const object = path.map((step) => step.key);
    const dependents = keys.flatMap((key) => (key === '__typename' ? [] : [{ key, depth: object.length }]));
    for (const place of placesIn(selections, [type], object, types)) {
      const known = found.get(place);
      if (known) known.push(...dependents);
      else found.set(place, [...dependents]);
    }
  };
  const keysOf = (selections: Fetch['selections']) =>
    fieldsOf(selections, undefined).map(({ field }) => responseKey(field));
  for (const fetch of plans.flatMap(({ waves }) => waves.flat())) {
    const keys = keysOf(fetch.selections);
    for (const representation of fetch.representations) add(fetch, representation, keys);
    for (const { representation, field, selections } of fetch.calls)
      add(fetch, representation, field === undefined ? keysOf(selections) : [field]);
  }
  return found;
}

/** The places of all fields that are selected of an object, those of objects below it included. */
function placesIn(
  selections: Selections,
  typenames: readonly string[],
  object: readonly string[],
  types: SupergraphTypes,
): ReadonlySet<string> {
  const places = new Set<string>();
  const seen = new Set<string>();
  const read = (selected: Selections, of: readonly string[], above: readonly string[]): void => {
    for (const typename of of)
      for (const { key, name, below } of selected.fieldsOf(typename)) {
        const here = [...above, key];
        const place = placeOf(here);
        places.add(place);
        const named = below && types.type(typename)?.fieldTypeName(name);
        const visit = `${place} ${below?.id} ${named}`;
        if (!below || named === undefined || seen.has(visit)) continue;
        seen.add(visit);
        read(below, types.isAbstract(named) ? types.objectsOf(named) : [named], here);
      }
  };
  read(selections, typenames, object);
  return places;
}

function placeOf(keys: readonly string[]): string {
  return keys.join(' ');
}

/** The response keys of a path, without positions in lists. */
function keysIn(path: ResponsePath): readonly string[] {
  return path.filter((segment) => typeof segment === 'string');
}

/**
 * The places of an error in the client's response. If the client does not select the failed field, the error is
 * reported at the fields that were not fetched because of it. If the client does select it, the error is reported there
 * and at these fields.
 */
export function atDependents(
  { lost, ...error }: RunError,
  dependents: DependentFields,
  shape: ObjectShape,
  data: JsonObject,
): readonly JoinError[] {
  const { path } = error;
  if (!path) return [error];
  const unselectedAt = (place: ResponsePath) => errorPlace(shape, data, place).unselected;
  const [example] = lost?.objects ?? [];
  const lostKeys = example ? [...(lost?.keys ?? [])].filter((key) => key !== '__typename') : [];
  const isSelected =
    lost && example
      ? lostKeys.some((key) => unselectedAt([...example, key]) === undefined)
      : unselectedAt(path) === undefined;
  const found = new Map<string, ResponsePath>();
  const seen = new Set<string>();
  const search = (missing: ResponsePath): void => {
    for (const field of unfetchedFor(missing, dependents, data)) {
      const text = field.join(' ');
      if (seen.has(text)) continue;
      seen.add(text);
      if (unselectedAt(field) === undefined) found.set(text, field);
      search(field);
    }
  };
  if (!lost) search(upToNull(path, data));
  else if (example)
    for (const key of lostKeys.filter((one) => dependents.has(placeOf([...keysIn(example), one]))))
      for (const object of lost.objects) search([...object, key]);
  const around = `${path.join(' ')} `;
  const outside = [...found].flatMap(([text, place]) => (text.startsWith(around) ? [] : [place]));
  // The error of a whole object is reported at the object, whose fields may all be null because of the error.
  if (isSelected || (lost && outside.length < found.size))
    return [error, ...outside.map((place) => ({ ...error, path: place }))];
  if (found.size > 0) return [...found.values()].map((place) => ({ ...error, path: place }));
  return [{ ...error, path: path.slice(0, unselectedAt(path) ?? path.length) }];
}

/** The fields that were not fetched because a field is missing. */
function unfetchedFor(missing: ResponsePath, dependents: DependentFields, data: JsonObject): readonly ResponsePath[] {
  const found: ResponsePath[] = [];
  for (const { key, depth } of dependents.get(placeOf(keysIn(missing))) ?? []) {
    let keys = 0;
    const length = missing.findIndex((segment) => typeof segment === 'string' && keys++ === depth);
    const above = missing.slice(0, length);
    const object = valueAt(data, above);
    if (object && !(Object.hasOwn(object, key) && object[key] !== undefined)) found.push([...above, key]);
  }
  return found;
}

/** The start of an error's path that leads to the value which is null because of the error. */
function upToNull(path: ResponsePath, data: JsonObject): ResponsePath {
  let value: Json | undefined = data;
  for (const [at, segment] of path.entries()) {
    if (typeof value !== 'object' || value === null) return path.slice(0, at);
    value = memberOf(value, segment);
  }
  return path;
}

/** The object at a path. Undefined if there is none. */
function valueAt(data: JsonObject, path: ResponsePath): JsonObject | undefined {
  let value: Json | undefined = data;
  for (const segment of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = memberOf(value, segment);
  }
  return isObject(value) ? value : undefined;
}

function memberOf(value: JsonObject | readonly Json[], segment: string | number): Json | undefined {
  if (!Object.hasOwn(value, segment)) return undefined;
  return (value as { readonly [key: string | number]: Json | undefined })[segment];
}
