import { type DashboardDescription, gaugeOf, quantileOf, rateOf } from './description.ts';

const QUEUE = '{{kind}} {{queue}}';

/** The same in all processes, which read it from the database. */
const inDatabase = (name: string, matchers: string) => gaugeOf('max', name, 'kind, queue', matchers);

export const jobs: DashboardDescription = {
  name: 'jobs',
  title: 'Jobs',
  description: 'Asynchronous actions, cron triggers, one-off events and deliveries: what waits, runs and has failed.',
  series: 'portico_jobs_running',
  rows: [
    {
      title: 'In the database',
      panels: [
        {
          title: 'Oldest waiting job',
          description: 'How long it has been due. Rising: its webhook fails, or too few processes run jobs.',
          unit: 's',
          queries: [{ expr: inDatabase('portico_jobs_oldest_seconds', 'state="queued"'), legend: QUEUE }],
          alert: 'PorticoJobsWait',
        },
        {
          title: 'Waiting jobs',
          description: 'Jobs that are due and do not run yet.',
          unit: 'none',
          queries: [{ expr: inDatabase('portico_jobs', 'state="queued"'), legend: QUEUE }],
          alert: 'PorticoJobsWait',
        },
        {
          title: 'Dead jobs',
          description: 'Jobs that have failed for the last time, until they are replayed or purged.',
          unit: 'none',
          queries: [{ expr: inDatabase('portico_jobs', 'state="dead"'), legend: QUEUE }],
          alert: 'PorticoJobsDead',
        },
      ],
    },
    {
      title: 'Processes',
      panels: [
        {
          title: 'Database available',
          description: '0: the process does not reach the database of jobs.',
          unit: 'none',
          max: 1,
          queries: [{ expr: gaugeOf('min', 'portico_jobs_database_available', 'instance'), legend: '{{instance}}' }],
          alert: 'PorticoJobsUnavailable',
        },
        {
          title: 'Accepted and refused jobs',
          description:
            'Refused: they could not be committed, and callers were told so. Over the quota: their user or tenant has too many already.',
          unit: 'ops',
          queries: [
            { expr: rateOf('portico_jobs_accepted_total', 'kind'), legend: '{{kind}} accepted' },
            { expr: rateOf('portico_jobs_refused_total', 'kind'), legend: '{{kind}} refused' },
            {
              expr: rateOf('portico_jobs_over_quota_total', 'kind, quota'),
              legend: '{{kind}} over the quota of the {{quota}}',
            },
          ],
          alert: 'PorticoJobsUnavailable',
        },
        {
          title: 'Running jobs',
          description: 'At its limit (PORTICO_JOBS_CONCURRENCY) in all processes: more concurrency, or more processes.',
          unit: 'none',
          queries: [{ expr: gaugeOf('sum', 'portico_jobs_running', 'instance'), legend: '{{instance}}' }],
        },
        {
          title: 'Attempts by outcome',
          description: 'Attempts of jobs by how they ended and why.',
          unit: 'ops',
          queries: [
            {
              expr: rateOf('portico_job_runs_total', 'kind, outcome, reason'),
              legend: '{{kind}} {{outcome}} {{reason}}',
            },
          ],
          alert: 'PorticoJobsDead',
        },
        {
          title: 'Wait for an attempt, 95th percentile',
          description: 'Time from when a job was due until its attempt started.',
          unit: 's',
          queries: [{ expr: quantileOf(0.95, 'portico_job_wait_seconds', 'kind'), legend: '{{kind}}' }],
        },
        {
          title: 'Duration of attempts, 95th percentile',
          description: 'Calls of webhooks, most of it.',
          unit: 's',
          queries: [{ expr: quantileOf(0.95, 'portico_job_duration_seconds', 'kind'), legend: '{{kind}}' }],
        },
      ],
    },
  ],
};
