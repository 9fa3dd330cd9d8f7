import { z } from 'zod';
import { setting } from '../../platform/index.ts';

/** How a process accepts and runs jobs. The database URL is one of the graph's settings. */
export const jobSettings = {
  PORTICO_JOBS: z
    .enum(['all', 'accept', 'run'], { error: 'expected all, accept or run' })
    .default('all')
    .describe(
      'What this process does with jobs: `accept` leaves running them to others, `run` accepts none. See [jobs.md](jobs.md#for-operators).',
    ),
  PORTICO_JOBS_CONCURRENCY: setting
    .integer(20, 1, 1_000)
    .describe('Jobs that a process runs at a time; each worker is a process.'),
  PORTICO_JOBS_MAX_PER_USER: setting
    .integer(1_000, 0, 1_000_000)
    .describe(
      'Jobs of asynchronous actions that a user may have at a time, waiting and running, before further ones are refused with 429; 0: any number. See [jobs.md](jobs.md#quotas).',
    ),
  PORTICO_JOBS_MAX_PER_TENANT: setting
    .integer(10_000, 0, 1_000_000)
    .describe('The same for all users of a tenant together.'),
  PORTICO_JOBS_LEASE_SECONDS: setting
    .integer(30, 3, 3_600, 'seconds')
    .describe('After how long others run the jobs of a process that was killed or lost the database.'),
  PORTICO_JOBS_RETENTION_DAYS: setting
    .integer(7, 1, 3_650, 'days')
    .describe('How long results of finished jobs are kept.'),
  PORTICO_JOBS_DEAD_RETENTION_DAYS: setting
    .integer(30, 1, 3_650, 'days')
    .describe('How long jobs are kept for a replay that have failed for the last time.'),
  PORTICO_SCHEDULED_EVENT_ORIGINS: setting
    .origins()
    .default([])
    .describe(
      'Origins that one-off scheduled events may call, such as `https://hooks.example.com`, beside those that the metadata names; `*`: any. See [schedules.md](schedules.md#one-off-events).',
    ),
  PORTICO_SCHEDULED_EVENT_VARIABLES: setting
    .list()
    .default([])
    .describe(
      'Environment variables that one-off scheduled events may use in URLs and headers of any webhook, beside those that the metadata sends to its origin. See [schedules.md](schedules.md#one-off-events).',
    ),
};
