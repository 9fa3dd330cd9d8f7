import type {
  CheckedOutput,
  JobOutcome,
  JobProgress,
  Json,
  ProgressStore,
  RunningJob,
} from '../../jobs/engine/index.ts';
import { interrupted } from '../../jobs/engine/job.ts';
import type { ActionWebhook } from './webhook/index.ts';
import { declaredPart, responseProblem } from './webhook/index.ts';

/** How webhooks report the progress of jobs. */
export interface ProgressReporting {
  /** The actions whose webhooks report it. */
  readonly names: ReadonlySet<string>;
  /** The URL that they report to. */
  readonly url: string;
  readonly store: Pick<ProgressStore, 'begin' | 'end'>;
}

/** What a webhook reports its progress with, as a member of the body of its call. The token is of no use after the call. */
export interface ProgressTarget {
  readonly url: string;
  readonly token: string;
}

/** Runs an attempt of a job whose webhook can report its progress meanwhile. */
export async function withProgress(
  { store, url }: ProgressReporting,
  job: RunningJob,
  run: (target: ProgressTarget) => Promise<JobOutcome>,
): Promise<JobOutcome> {
  // Without the database the attempt is not begun, as if its process had stopped.
  const token = await store.begin(job).catch(() => undefined);
  if (token === undefined) return interrupted();
  try {
    return await run({ url, token });
  } finally {
    // What remains without the database is of no use, and maintenance deletes it.
    store.end(job.id, token).catch(() => {});
  }
}

/** Checks a partial output like the response of the webhook. Fields that the type does not declare are left out. */
export function checkedPartialOutput({ outputType, excessProblem }: ActionWebhook, output: Json): CheckedOutput {
  try {
    const problem = responseProblem(output, outputType) ?? excessProblem?.(output);
    return problem === undefined ? { output: declaredPart(output, outputType) as Json } : { problem };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { problem: 'the output is nested too deeply' };
  }
}

/** The value of the field `progress` of a result. */
export function progressResult(progress: JobProgress | null | undefined) {
  if (!progress) return null;
  const { percent, message, output, reportedAt } = progress;
  return { percent, message, output, updated_at: reportedAt.toISOString().replace('Z', '+00:00') };
}
