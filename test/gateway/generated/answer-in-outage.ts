import type { Answered } from './same-answer.ts';

type Path = readonly (string | number)[];

/**
 * What is wrong with an answer while a service fails; empty where nothing is. What differs from the answer of all services has to be
 * null, with an error there, around it or below it.
 * @param mayBeSilent whether it may be null without an error, as where a service does not find entities
 */
export function wrongInOutage(
  { data, errors = [] }: Answered,
  expected: unknown,
  mayBeSilent = false,
): readonly object[] {
  return differences(data, expected, []).filter(
    ({ path, isNull }) => !isNull || !(mayBeSilent || isExplained(path, errors)),
  );
}

/** Whether there is an error at a place, around it or below it. */
function isExplained(place: Path, errors: NonNullable<Answered['errors']>): boolean {
  return errors.some(({ path = [] }) => {
    const length = Math.min(path.length, place.length);
    return path.slice(0, length).join() === place.slice(0, length).join();
  });
}

/** The places where values differ, the innermost ones. */
export function differences(value: unknown, expected: unknown, path: Path): { path: Path; isNull: boolean }[] {
  if (value === null || value === undefined) return expected === null ? [] : [{ path, isNull: value === null }];
  if (typeof value !== 'object' || typeof expected !== 'object' || expected === null)
    return value === expected ? [] : [{ path, isNull: false }];
  const [keys, all] = [Object.keys(value), Object.keys(expected)];
  if (keys.join() !== all.join()) return [{ path, isNull: false }];
  return all.flatMap((key) => {
    const below = [...path, Array.isArray(expected) ? Number(key) : key];
    return differences((value as never)[key], (expected as never)[key], below);
  });
}
