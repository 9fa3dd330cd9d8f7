import type { JsonObject, ResponsePath } from '../json.ts';
import type { FlattenPath } from './flatten-path.ts';
import type { Represent } from './representations.ts';
import type { PlanRun } from './run.ts';

/** The objects of one run that a call is made for. Those that are known by the same are asked for once, wherever they are. */
export interface WaitingObjects {
  /** What they are known by, each once. */
  readonly texts: readonly string[];
  /** By path: the objects, and the position of each one's text. */
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
 * The paths of the objects in the data, by the positions of their texts.
 * @param below what follows each of the paths
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
      // Objects that are the same object were found once for each path.
      if (seen.has(target)) return;
      seen.add(target);
      const known = found.get(number) ?? [];
      for (const path of located?.get(target) ?? []) known.push(rest.length === 0 ? path : [...path, ...rest]);
      found.set(number, known);
    });
  });
  return found;
}
