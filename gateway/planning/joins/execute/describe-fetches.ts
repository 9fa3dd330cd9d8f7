import { type Fetch, fieldsOf } from '../plan/index.ts';

/** A fetch as an explanation shows it, with names of the schema but no values. */
export interface FetchDescription {
  readonly source: string;
  /** The root fields. */
  readonly fields?: readonly string[];
  /** The fields that lead to the entities, such as `viewer.orders`. */
  readonly path?: string;
  /** The number of the wave, starting at 1. */
  readonly wave: number;
}

/** @param before the number of waves in the plans that run before this one. */
export function describeFetches(waves: readonly (readonly Fetch[])[], before: number): readonly FetchDescription[] {
  return waves.flatMap((wave, index) =>
    wave.map((fetch): FetchDescription => {
      const { service: source, path } = fetch;
      const at = { source, wave: before + index + 1 };
      if (path.length > 0) return { ...at, path: path.map(({ key }) => key).join('.') };
      return { ...at, fields: fieldsOf(fetch.selections, undefined).map(({ field }) => field.name.value) };
    }),
  );
}
