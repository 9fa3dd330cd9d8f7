import type { JoinError } from '../errors.ts';
import { isObject, type Json, type JsonObject, type ResponsePath } from '../json.ts';
import { type Fetch, fieldsOf, type OperationPlan, responseKey } from '../plan/index.ts';
import { errorPlace, type ObjectShape } from '../response/index.ts';
import type { RunError } from './run.ts';

/** The keys of fields that depend on a field of the same object, by the path of keys to that field. */
export type DependentFields = ReadonlyMap<string, ReadonlySet<string>>;

export function dependentFields(plans: readonly OperationPlan[]): DependentFields {
  const found = new Map<string, Set<string>>();
  const add = ({ path }: Fetch, needed: readonly string[], fields: readonly string[]) => {
    for (const key of needed) {
      const place = placeOf([...path.map((step) => step.key), key]);
      const known = found.get(place) ?? new Set<string>();
      for (const field of fields) if (field !== '__typename') known.add(field);
      found.set(place, known);
    }
  };
  const neededBy = ({ type, selections }: Fetch['representations'][number]) =>
    selections.fieldsOf(type).map(({ key }) => key);
  const responseKeysOf = (selections: Fetch['selections']) =>
    fieldsOf(selections, undefined).map(({ field }) => responseKey(field));
  for (const fetch of plans.flatMap(({ waves }) => waves.flat())) {
    add(fetch, fetch.representations.flatMap(neededBy), responseKeysOf(fetch.selections));
    for (const { representation, field, selections } of fetch.calls)
      add(fetch, neededBy(representation), field === undefined ? responseKeysOf(selections) : [field]);
  }
  return found;
}

function placeOf(keys: ResponsePath): string {
  return keys.join(' ');
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
  const failed = lost ? lost.objects.flatMap((object) => [...lost.keys].map((key) => [...object, key])) : [path];
  const isSelected = failed.some((place) => place.at(-1) !== '__typename' && unselectedAt(place) === undefined);
  const found = new Map<string, ResponsePath>();
  const seen = new Set<string>();
  const search = (place: ResponsePath): void => {
    const unselected = unselectedAt(place);
    for (const field of dependentsOf(place, unselected ?? place.length - 1, dependents, data)) {
      const text = placeOf(field);
      if (seen.has(text)) continue;
      seen.add(text);
      if (unselectedAt(field) === undefined) found.set(text, field);
      search(field);
    }
  };
  if (dependents.size > 0) {
    for (const object of lost?.objects ?? []) search(object);
    for (const place of failed) if (!lost || dependents.has(placeOf(keysOf(place)))) search(place);
  }
  const around = `${placeOf(path)} `;
  const outside = [...found].flatMap(([text, place]) => (text.startsWith(around) ? [] : [place]));
  // The error of a whole object is reported at the object, whose fields may all be null because of it.
  if (isSelected || (lost && outside.length < found.size))
    return [error, ...outside.map((place) => ({ ...error, path: place }))];
  if (found.size > 0) return [...found.values()].map((place) => ({ ...error, path: place }));
  return [{ ...error, path: path.slice(0, unselectedAt(path) ?? path.length) }];
}

/** The fields that were not fetched because of a field or a surrounding object. A key may be a field of an object. */
function dependentsOf(
  path: ResponsePath,
  from: number,
  dependents: DependentFields,
  data: JsonObject,
): readonly ResponsePath[] {
  const found: ResponsePath[] = [];
  for (let at = from; at >= 0; at--) {
    if (typeof path[at] === 'number') continue;
    const fields = dependents.get(placeOf(keysOf(path.slice(0, at + 1))));
    const above = path.slice(0, at);
    const object = fields && valueAt(data, above);
    if (object) for (const field of fields) if (object[field] === undefined) found.push([...above, field]);
  }
  return found;
}

/** The response keys of a path, without list indices. */
function keysOf(path: ResponsePath): readonly string[] {
  return path.filter((segment) => typeof segment === 'string');
}

/** The object at a path. Undefined if there is none. */
function valueAt(data: JsonObject, path: ResponsePath): JsonObject | undefined {
  let value: Json | undefined = data;
  for (const segment of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as { readonly [key: string | number]: Json | undefined })[segment];
  }
  return isObject(value) ? value : undefined;
}
