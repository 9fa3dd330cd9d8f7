import type { JsonObject, ResponsePath } from '../json.ts';
import type { FlattenPath } from './flatten-path.ts';
import type { Represent } from './representations.ts';
import type { PlanRun } from './run.ts';

/**
 * The objects of one run for which a call is made. Objects with the same representation are fetched once, wherever they
 * are.
 */
export interface WaitingObjects {
  /** The distinct representations. */
  readonly texts: readonly string[];
  /** The objects and the indices of their representations, by path. */
  readonly places: readonly { readonly targets: readonly JsonObject[]; readonly numbers: readonly number[] }[];
}

export function findWaiting(
  paths: readonly FlattenPath[],
  represent: Represent,
  { data, repeated }: Pick<PlanRun<unknown>, 'data' | 'repeated'>,
): WaitingObjects {
  const texts: string[] = [];
  const numbersOf = new Map<string, number>();
  const places = paths.map((path) => {
    const targets: JsonObject[] = [];
    const numbers: number[] = [];
    for (const target of path.collect(data, repeated)) {
      const text = represent(target);
      if (text === undefined) continue;
      let number = numbersOf.get(text);
      if (number === undefined) {
        number = texts.length;
        numbersOf.set(text, number);
        texts.push(text);
      }
      targets.push(target);
      numbers.push(number);
    }
    return { targets, numbers };
  });
  return { texts, places };
}

/**
 * The paths of the objects in the data, by the index of their representation.
 * @param below the path that is appended to each path
 */
export function pathsByNumber(
  { places }: WaitingObjects,
  paths: readonly FlattenPath[],
  data: JsonObject,
  below: (index: number) => ResponsePath,
): ReadonlyMap<number, readonly ResponsePath[]> {
  const found = new Map<number, ResponsePath[]>();
  places.forEach(({ targets, numbers }, index) => {
    const located = paths[index]?.locate(data);
    const rest = below(index);
    const seen = new Set<JsonObject>();
    targets.forEach((target, at) => {
      const number = numbers[at] ?? 0;
      // Repeated objects were found once for each path.
      if (seen.has(target)) return;
      seen.add(target);
      const known = found.get(number) ?? [];
      for (const path of located?.get(target) ?? []) known.push(rest.length === 0 ? path : [...path, ...rest]);
      found.set(number, known);
    });
  });
  return found;
}
