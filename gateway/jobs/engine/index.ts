export type { JobDetails, JobPage, JobsAdmin, QueueStats } from './admin.ts';
export { type CronPlan, CronPlanStore, type CronPlans } from './cron-plans.ts';
export { JobsDatabaseUnusable } from './database/index.ts';
export { type Invocation, Invocations, type NewInvocation } from './invocations.ts';
export {
  type AcceptedJob,
  type CheckedOutput,
  dead,
  digestOf,
  done,
  expired,
  failed,
  interrupted,
  JOB_STATES,
  type JobHandler,
  type JobOutcome,
  type JobProgress,
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
export { type JobFilter, SPARE_ATTEMPTS } from './job-statements.ts';
export { type Jobs, type JobsMode, type JobsOptions, openJobs, openJobsAdmin } from './jobs.ts';
export type { QueuePause } from './paused-queues.ts';
export type { ProgressChange, ProgressStore, ReportingAttempt } from './progress.ts';
export type { ResultQuery } from './results.ts';
export type { ScheduledJob, ScheduledJobFilter, ScheduledJobs } from './scheduled-jobs.ts';
