import { type JobOutcome, postponed } from '../jobs/index.ts';

const RECENT_MS = 60_000;
const RETRY_MS = 2_000;

/**
 * Leaves a job that the metadata of this process does not describe to other processes, whose metadata may be newer.
 *
 * @param since the job is left to them for a minute from then on; undefined after that.
 */
export function leaveToNewerMetadata(since: Date, reason: string): JobOutcome | undefined {
  return Date.now() - since.getTime() < RECENT_MS ? postponed(reason, RETRY_MS) : undefined;
}
