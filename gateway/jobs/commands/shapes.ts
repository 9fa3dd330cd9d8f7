import { z } from 'zod';
import { JOB_STATES } from '../engine/index.ts';
import { invalidJobArguments } from './errors.ts';

/** The most characters of a name in a filter. */
const MAX_JOB_TEXT = 500;
/** The most jobs that one command names. */
const MAX_JOB_IDS = 500;

// PostgreSQL does not accept U+0000 in text.
const shortText = z
  .string()
  .min(1)
  .max(MAX_JOB_TEXT)
  .regex(/^[^\0]*$/);
const jobId = z.guid().toLowerCase();

/** The jobs that a command applies to: named ones, or all jobs of a queue in the states of the command. */
const operatedJobs = z.union([
  z.strictObject({ ids: z.array(jobId).min(1).max(MAX_JOB_IDS) }),
  z.strictObject({ kind: shortText, queue: shortText, tenant: shortText.optional() }),
]);

export type OperatedJobs = z.output<typeof operatedJobs>;

/** The arguments of each command. */
export const JOB_COMMAND_SHAPES = {
  portico_get_job_queues: z.strictObject({
    /** The maximum age of the counts. 0 counts now, which is expensive if many jobs wait. */
    max_age_ms: z.int().min(0).max(60_000).default(10_000),
  }),
  portico_get_jobs: z.strictObject({
    states: z.array(z.enum(JOB_STATES)).min(1).max(JOB_STATES.length).optional(),
    kind: shortText.optional(),
    queue: shortText.optional(),
    tenant: shortText.optional(),
    limit: z.int().min(1).max(200).default(50),
    /** `next` of the previous page. */
    after: jobId.optional(),
  }),
  portico_get_job: z.strictObject({ id: jobId }),
  portico_get_cron_triggers: z.strictObject({}),
  portico_get_one_off_events: z.strictObject({ limit: z.int().min(1).max(200).default(50) }),
  portico_get_event_subscriptions: z.strictObject({}),
  portico_retry_jobs: operatedJobs,
  portico_cancel_jobs: operatedJobs,
  portico_purge_jobs: operatedJobs,
};

/** @throws GatewayError `parse-failed` with the path of the first invalid argument. */
export function readJobArguments<T>(shape: z.ZodType<T>, given: unknown): T {
  const parsed = shape.safeParse(given ?? {});
  if (parsed.success) return parsed.data;
  const path = parsed.error.issues[0]?.path ?? [];
  throw invalidJobArguments(['$.args', ...path.map(String)].join('.'));
}
