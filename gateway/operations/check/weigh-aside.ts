import { inThread } from '../../../platform/index.ts';
import type { WeighedChange } from './change-usage.ts';
import type { ClientChange } from './changes.ts';

export interface ChangesToWeigh {
  readonly changes: readonly ClientChange[];
  /** The whole schema before the change. */
  readonly sdl: string;
  /** The roles that the metadata names, and the admin. */
  readonly roles: readonly string[];
  /** The directory with recorded usage. */
  readonly directory: string;
  /** The beginning of the usage to consider, in milliseconds since the epoch. */
  readonly since: number;
  readonly now: number;
}

/** Adds to each breaking change the uses of the removed element. Runs in a thread, since usage may consist of many files. */
export function weighAside(given: ChangesToWeigh): Promise<readonly WeighedChange[]> {
  return inThread('gateway/operations/check/weigh-changes-worker.js', given);
}
