export type { JobDetails, JobFilter, JobPage, JobsAdmin, QueueStats } from './admin.ts';
export { type CronPlan, CronPlanStore, type CronPlans } from './cron-plans.ts';
export { JobsDatabaseUnusable } from './database/index.ts';
export { digestOf } from './digest.ts';
export { type Invocation, Invocations, type NewInvocation } from './invocations.ts';
export {
  type AcceptedJob,
  dead,
  done,
  expired,
  failed,
  interrupted,
  JOB_STATES,
  type JobHandler,
  type JobOutcome,
  type JobResult,
  type JobState,
  type JobSummary,
  type Json,
  MAX_TENANT,
  type NewJob,
  postponed,
  type QueueLimits,
  type RunningJob,
  retryLater,
} from './job.ts';
export { type Jobs, type JobsMode, type JobsOptions, openJobs, openJobsAdmin } from './jobs.ts';
export type { QueuePause } from './paused-queues.ts';
export { isFinal, type ResultQuery } from './results.ts';
export type { ScheduledJob, ScheduledJobFilter, ScheduledJobs } from './scheduled-jobs.ts';
