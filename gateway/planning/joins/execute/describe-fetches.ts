import { type Fetch, fieldsOf } from '../plan/index.ts';

/** A fetch in an explanation: names of the schema only, no values. */
export interface FetchDescription {
  readonly source: string;
  /** Root fields. */
  readonly fields?: readonly string[];
  /** The fields that lead to the entities, as `viewer.orders`. */
  readonly path?: string;
  /** From 1 on. */
  readonly wave: number;
}

/** @param before waves of the plans that run before this one. */
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
