import { z } from 'zod';
import { setting } from '../../platform/index.ts';

/** How a process accepts and runs jobs. The database URL is one of the graph's settings. */
export const jobSettings = {
  PORTICO_JOBS: z
    .enum(['all', 'accept', 'run'], { error: 'expected all, accept or run' })
    .default('all')
    .describe(
      'What this process does with jobs. `accept`: accepts jobs and leaves running them to other processes. `run`: runs jobs and accepts none. `all`: accepts and runs jobs. See [jobs.md](jobs.md#for-operators).',
    ),
  PORTICO_JOBS_CONCURRENCY: setting
    .integer(20, 1, 1_000)
    .describe('Maximum number of jobs that a process runs at the same time. Each worker is a process.'),
  PORTICO_JOBS_MAX_PER_USER: setting
    .integer(1_000, 0, 1_000_000)
    .describe(
      'Maximum number of waiting and running asynchronous actions per user. Further ones are rejected with 429. 0 means no limit. See [jobs.md](jobs.md#quotas).',
    ),
  PORTICO_JOBS_MAX_PER_TENANT: setting
    .integer(10_000, 0, 1_000_000)
    .describe('The same limit for all users of a tenant together.'),
  PORTICO_JOBS_LEASE_SECONDS: setting
    .integer(30, 3, 3_600, 'seconds')
    .describe(
      'How long it takes until other processes take over the jobs of a process that was killed or has lost its database connection.',
    ),
  PORTICO_JOBS_RETENTION_DAYS: setting
    .integer(7, 1, 3_650, 'days')
    .describe('How long results of finished jobs are kept.'),
  PORTICO_JOBS_DEAD_RETENTION_DAYS: setting
    .integer(30, 1, 3_650, 'days')
    .describe('How long dead jobs are kept so that they can be retried.'),
  PORTICO_JOBS_PROGRESS_PER_SECOND: setting
    .integer(4, 1, 100)
    .describe(
      'How often the progress of a job is written and shown per second. Reports in between are merged. See [jobs.md](jobs.md#progress).',
    ),
  PORTICO_SCHEDULED_EVENT_ORIGINS: setting
    .origins()
    .default([])
    .describe(
      'Origins that one-off scheduled events may call, such as `https://hooks.example.com`, in addition to the origins in the metadata. `*` means any origin. See [schedules.md](schedules.md#one-off-events).',
    ),
  PORTICO_SCHEDULED_EVENT_VARIABLES: setting
    .list()
    .default([])
    .describe(
      'Environment variables that one-off scheduled events may use in the URL and headers of any webhook, in addition to the variables that the metadata sends to the origin of that webhook. See [schedules.md](schedules.md#one-off-events).',
    ),
};
