import { Kind, type SelectionNode } from 'graphql';
import { type Fetch, fieldKeysOf } from '../plan/index.ts';

/** A fetch in an explanation: names of the schema only, no values. */
export interface FetchDescription {
  readonly source: string;
  /** Root fields. */
  readonly fields?: readonly string[];
  /** The flatten path of entities, as `viewer.orders`; several are separated by commas. */
  readonly path?: string;
  /** From 1 on. */
  readonly wave: number;
}

/** @param before waves of the plans that run before this one. */
export function describeFetches(waves: readonly (readonly Fetch[])[], before: number): readonly FetchDescription[] {
  return waves.flatMap((wave, index) =>
    wave.map((fetch): FetchDescription => {
      const { service: source } = fetch;
      const at = { source, wave: before + index + 1 };
      if (fetch.kind === 'root') return { ...at, fields: selectedFieldNames(fetch.selections) };
      return { ...at, path: fetch.paths.map((path) => fieldKeysOf(path).join('.')).join(', ') };
    }),
  );
}

function selectedFieldNames(selections: readonly SelectionNode[]): readonly string[] {
  return selections.flatMap((one): readonly string[] => {
    if (one.kind === Kind.FIELD) return [one.name.value];
    return one.kind === Kind.INLINE_FRAGMENT ? selectedFieldNames(one.selectionSet.selections) : [];
  });
}
