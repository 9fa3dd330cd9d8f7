import type { JoinError } from '../errors.ts';
import type { JsonObject, ResponsePath } from '../json.ts';
import { type Fetch, fieldsOf, type OperationPlan, responseKey } from '../plan/index.ts';
import { errorPlace, type ObjectShape } from '../response/index.ts';

/** The keys of the fields that are fetched by a field of the same object, by the keys that lead to that. */
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
  const keysOf = (selections: Fetch['selections']) =>
    fieldsOf(selections, undefined).map(({ field }) => responseKey(field));
  for (const fetch of plans.flatMap(({ waves }) => waves.flat())) {
    add(fetch, fetch.representations.flatMap(neededBy), keysOf(fetch.selections));
    for (const { representation, field, selections } of fetch.calls)
      add(fetch, neededBy(representation), field === undefined ? keysOf(selections) : [field]);
  }
  return found;
}

function placeOf(keys: readonly string[]): string {
  return keys.join(' ');
}

/** An error of a field that the client does not select, at the fields that are not fetched for it. Others stay where they are. */
export function atDependents(
  error: JoinError,
  dependents: DependentFields,
  shape: ObjectShape,
  data: JsonObject,
): readonly JoinError[] {
  const found = new Set<string>();
  const relocated = (path: NonNullable<JoinError['path']>): readonly JoinError[] => {
    const { unselected } = errorPlace(shape, data, path);
    if (unselected === undefined) return [{ ...error, path }];
    const above = path.slice(0, unselected);
    const keys = path.slice(0, unselected + 1).filter((segment) => typeof segment === 'string');
    const place = placeOf(keys);
    if (found.has(place)) return [];
    found.add(place);
    const fields = dependentsOf(path, unselected, dependents).flatMap((one) => relocated(one));
    return fields.length > 0 ? fields : [{ ...error, path: above }];
  };
  return error.path ? relocated(error.path) : [error];
}

/** The fields that depend on a field, or on an object around it: a key may be a field of an object that the client selects. */
function dependentsOf(path: ResponsePath, unselected: number, dependents: DependentFields): readonly ResponsePath[] {
  for (let at = unselected; at >= 0; at--) {
    if (typeof path[at] === 'number') continue;
    const keys = path.slice(0, at + 1).filter((segment) => typeof segment === 'string');
    const fields = dependents.get(placeOf(keys));
    if (fields && fields.size > 0) return [...fields].map((field) => [...path.slice(0, at), field]);
  }
  return [];
}
