import type { FlattenNodePathSegment } from '@graphql-hive/router-query-planner';
import type { SupergraphTypes } from '../../supergraph/index.ts';
import { isList, isObject, type Json, type JsonObject } from '../json.ts';

/** Locates the entities at a path in the data of an operation. */
export interface FlattenPath {
  /** The objects at the path now, in the order of the data. */
  collect(root: JsonObject): JsonObject[];
  /** The same, with all paths of each. */
  locate(root: JsonObject): Map<JsonObject, (readonly (string | number)[])[]>;
  /** The fields down to the first list: where a failure of the whole fetch is reported. */
  readonly fields: readonly string[];
}

type PathStep = { readonly field: string } | { readonly matches: (typename: string) => boolean } | 'list';

export function compileFlattenPath(path: readonly FlattenNodePathSegment[], types: SupergraphTypes): FlattenPath {
  const steps = path.map((segment): PathStep => {
    if (segment === '@') return 'list';
    if ('Field' in segment) return { field: segment.Field };
    return { matches: (typename) => segment.TypeCondition.some((condition) => types.isA(typename, condition)) };
  });
  const fields: string[] = [];
  for (const step of steps) {
    if (step === 'list') break;
    if ('field' in step) fields.push(step.field);
  }
  return {
    collect: (root) => {
      const found: JsonObject[] = [];
      collectObjects(root, steps, 0, found);
      return found;
    },
    locate: (root) => {
      const found = new Map<JsonObject, (readonly (string | number)[])[]>();
      locate(root, steps, 0, [], found);
      return found;
    },
    fields,
  };
}

function collectObjects(value: Json | undefined, steps: readonly PathStep[], from: number, found: JsonObject[]): void {
  let current = value;
  for (let at = from; ; at++) {
    if (isList(current)) {
      const next = steps[at] === 'list' ? at + 1 : at;
      for (const item of current) collectObjects(item, steps, next, found);
      return;
    }
    if (!isObject(current)) return;
    const step = steps[at];
    if (step === undefined) {
      found.push(current);
      return;
    }
    if (step === 'list') continue;
    if ('field' in step) current = current[step.field];
    else if (typeof current.__typename === 'string' && !step.matches(current.__typename)) return;
  }
}

function locate(
  value: Json | undefined,
  steps: readonly PathStep[],
  at: number,
  path: readonly (string | number)[],
  found: Map<JsonObject, (readonly (string | number)[])[]>,
): void {
  const step = steps[at];
  if (isList(value)) {
    value.forEach((item, index) => {
      locate(item, steps, step === 'list' ? at + 1 : at, [...path, index], found);
    });
  } else if (isObject(value)) {
    if (step === undefined) {
      const places = found.get(value);
      if (places) places.push(path);
      else found.set(value, [path]);
    } else if (step === 'list') locate(value, steps, at + 1, path, found);
    else if ('field' in step) locate(value[step.field], steps, at + 1, [...path, step.field], found);
    else if (typeof value.__typename !== 'string' || step.matches(value.__typename)) {
      locate(value, steps, at + 1, path, found);
    }
  }
}
