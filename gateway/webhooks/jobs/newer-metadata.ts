import { type JobOutcome, postponed, type RunningJob } from '../../jobs/engine/index.ts';

const RECENT_MS = 60_000;
const RETRY_MS = 2_000;

/**
 * Leaves a job that the metadata of this process does not describe to other processes, whose metadata may be newer.
 *
 * @param since the job is left to them for a minute from then on, by the clock of the database; undefined after that.
 * @param pauses what the metadata lacks: the queue, or a tenant of it.
 */
export function leaveToNewerMetadata(
  since: Date,
  { begunAt }: Pick<RunningJob, 'begunAt'>,
  reason: string,
  pauses: 'queue' | 'tenant' = 'queue',
): JobOutcome | undefined {
  return begunAt.getTime() - since.getTime() < RECENT_MS ? postponed(reason, RETRY_MS, pauses) : undefined;
}
