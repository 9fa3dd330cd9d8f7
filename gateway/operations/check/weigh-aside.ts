import { inThread } from '../../../platform/index.ts';
import type { WeighedChange } from './change-usage.ts';
import type { ClientChange } from './changes.ts';

export interface ChangesToWeigh {
  readonly changes: readonly ClientChange[];
  /** The whole schema before the changes. */
  readonly sdl: string;
  /** The roles that the metadata names, and the admin. */
  readonly roles: readonly string[];
  /** Where usage is recorded. */
  readonly directory: string;
  /** Since when usage counts, in milliseconds since the epoch. */
  readonly since: number;
  readonly now: number;
}

/** Adds to each breaking change the uses of what it removes, in a thread: usage may be many files. */
export function weighAside(given: ChangesToWeigh): Promise<readonly WeighedChange[]> {
  return inThread('gateway/operations/check/weigh-changes-worker.js', given);
}
