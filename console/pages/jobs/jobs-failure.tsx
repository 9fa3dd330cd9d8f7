import { ApiError } from '../../api/index.ts';
import { type Loaded, LoadFailure, Notice } from '../../parts/index.ts';
import { jobsPage as texts } from '../../texts/index.ts';

/** What is said in place of the page, by the gateway's codes. */
const JOB_REFUSALS: Readonly<Record<string, string>> = {
  'not-supported': texts.noDatabase,
  'access-denied': texts.notAllowed,
};

/** Why nothing is shown to this caller at all; undefined for a failure that may pass. */
export function refusalOfJobs(error: unknown): string | undefined {
  return error instanceof ApiError ? JOB_REFUSALS[error.code] : undefined;
}

/** Why no jobs are shown. */
export function JobsFailure({ error, reload }: Pick<Loaded<unknown>, 'error' | 'reload'>) {
  const refusal = refusalOfJobs(error);
  return refusal === undefined ? <LoadFailure error={error} reload={reload} /> : <Notice kind="bad">{refusal}</Notice>;
}
