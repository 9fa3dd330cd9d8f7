import { callMetadataApi, type Job, type MayOperate } from '../../api/index.ts';
import { authorized } from '../../session/index.ts';

/** Reads something of jobs as the caller. @throws ApiError. */
export function fetchJobs<T>(
  type:
    | 'portico_get_job_queues'
    | 'portico_get_jobs'
    | 'portico_get_job'
    | 'portico_get_cron_triggers'
    | 'portico_get_one_off_events'
    | 'portico_get_event_subscriptions',
  args: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<T & MayOperate> {
  return authorized((headers) => callMetadataApi<T & MayOperate>(type, args, { headers, signal }));
}

export type JobAct = 'retry' | 'cancel' | 'purge';

/** Jobs that are named, or all of a queue that the act is for. */
export type ActedJobs =
  | { readonly ids: readonly string[] }
  | (Pick<Job, 'kind' | 'queue'> & { readonly tenant: string | undefined });

/** @returns how many jobs were changed. @throws ApiError. */
export async function actOnJobs(act: JobAct, jobs: ActedJobs): Promise<number> {
  const { changed } = await authorized((headers) =>
    callMetadataApi<{ readonly changed: number }>(`portico_${act}_jobs`, jobs, { headers }),
  );
  return changed;
}
