import type { SupergraphTypes } from '../../supergraph/index.ts';
import { isList, isObject, type Json, type JsonObject } from '../json.ts';
import type { PathStep } from '../plan/index.ts';
import type { RepeatedObjects } from '../sharing/index.ts';

/** Locates the objects at a path in the data of an operation. Lists are traversed, however deeply they are nested. */
export interface FlattenPath {
  /**
   * The objects that are currently at the path, in the order of the data.
   * @param repeated objects that are known to occur at several positions. Each is found once
   */
  collect(root: JsonObject, repeated: RepeatedObjects): JsonObject[];
  /** The objects that are currently at the path, with all paths of each. */
  locate(root: JsonObject): Map<JsonObject, (readonly (string | number)[])[]>;
  /** The fields down to the first list. A failure of the whole fetch is reported there. */
  readonly fields: readonly string[];
}

export function compileFlattenPath(path: readonly PathStep[], types: SupergraphTypes): FlattenPath {
  const firstList = path.findIndex(({ isList }) => isList);
  return {
    collect: (root, repeated) => {
      const found: JsonObject[] = [];
      const search = repeated.beginSearch();
      const isSeen = (object: JsonObject) => {
        const known = repeated.get(object);
        if (!known) return false;
        const isAgain = known.search === search;
        known.search = search;
        return isAgain;
      };
      collectObjects(root, path, 0, types, found, repeated.isEmpty ? undefined : isSeen);
      return found;
    },
    locate: (root) => {
      const found = new Map<JsonObject, (readonly (string | number)[])[]>();
      locate(root, path, 0, [], types, found);
      return found;
    },
    fields: path.slice(0, firstList < 0 ? path.length : firstList + 1).map(({ key }) => key),
  };
}

/** Whether a step applies to an object. Objects of interface objects or without `__typename` may have any type. */
function applies({ types: conditions }: PathStep, { __typename }: JsonObject, types: SupergraphTypes): boolean {
  return (
    conditions === undefined ||
    typeof __typename !== 'string' ||
    conditions.has(__typename) ||
    types.isAbstract(__typename)
  );
}

function collectObjects(
  value: Json | undefined,
  path: readonly PathStep[],
  from: number,
  types: SupergraphTypes,
  found: JsonObject[],
  isSeen: ((object: JsonObject) => boolean) | undefined,
): void {
  let current = value;
  for (let at = from; ; at++) {
    if (isList(current)) {
      for (const item of current) collectObjects(item, path, at, types, found, isSeen);
      return;
    }
    if (!isObject(current) || isSeen?.(current)) return;
    const step = path[at];
    if (step === undefined) {
      found.push(current);
      return;
    }
    if (!applies(step, current, types)) return;
    current = current[step.key];
  }
}

function locate(
  value: Json | undefined,
  path: readonly PathStep[],
  at: number,
  above: readonly (string | number)[],
  types: SupergraphTypes,
  found: Map<JsonObject, (readonly (string | number)[])[]>,
): void {
  if (isList(value)) {
    value.forEach((item, index) => {
      locate(item, path, at, [...above, index], types, found);
    });
  } else if (isObject(value)) {
    const step = path[at];
    if (step === undefined) {
      const places = found.get(value);
      if (places) places.push(above);
      else found.set(value, [above]);
    } else if (applies(step, value, types)) locate(value[step.key], path, at + 1, [...above, step.key], types, found);
  }
}
