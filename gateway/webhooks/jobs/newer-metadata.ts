import { type JobOutcome, postponed, type RunningJob } from '../../jobs/engine/index.ts';

const RECENT_MS = 60_000;
const RETRY_MS = 2_000;

/**
 * Leaves a job that this process's metadata does not describe to other processes, which may have newer metadata.
 *
 * @param since when the minute begins for which the job is left to them, by the database's clock. Returns undefined after that
 * minute.
 * @param pauses the missing part of the metadata: the queue, or a tenant of it.
 */
export function leaveToNewerMetadata(
  since: Date,
  { begunAt }: Pick<RunningJob, 'begunAt'>,
  reason: string,
  pauses: 'queue' | 'tenant' = 'queue',
): JobOutcome | undefined {
  return begunAt.getTime() - since.getTime() < RECENT_MS ? postponed(reason, RETRY_MS, pauses) : undefined;
}
