const jobs = (count: number) => (count === 1 ? '1 job' : `${count} jobs`);

/** Such as `5 min`. */
function age(seconds: number): string {
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}

/** Such as `create_user of tenant 7`. */
const ofTenant = (queue: string, tenant: string | undefined) =>
  tenant === undefined ? queue : `${queue} of tenant ${tenant}`;

/** Such as `2 cron triggers of the metadata`. */
const ofMetadata = (count: number, name: string, omitted: number) => {
  if (count === 0) return `The metadata has no ${name}.`;
  return `${count === 1 ? `1 ${name}` : `${count} ${name}s`} of the metadata${omitted > 0 ? `; ${omitted} more are not listed` : ''}`;
};

export const jobsPage = {
  lead: 'Background work: asynchronous actions, schedules and deliveries.',
  refresh: 'Refresh',
  noDatabase: 'This gateway has no database for jobs. Set HASURA_GRAPHQL_METADATA_DATABASE_URL to use jobs.',
  notAllowed: 'Only platform operators, the role admin and the roles in PORTICO_INSIGHT_ROLES can see jobs.',
  looksOnly: 'You have read-only access to jobs. Only operators can retry, cancel and purge them.',
  none: '–',
  kinds: {
    action: 'action',
    cron: 'cron trigger',
    'scheduled-event': 'one-off event',
    delivery: 'delivery',
  } as Readonly<Record<string, string>>,
  states: {
    queued: 'queued',
    running: 'running',
    scheduled: 'scheduled',
    waiting: 'waiting',
    dead: 'dead',
    done: 'done',
    failed: 'failed',
    expired: 'expired',
    cancelled: 'cancelled',
  },
  counted: { queued: 'Queued', running: 'Running', scheduled: 'Scheduled', waiting: 'Waiting', dead: 'Dead' },
  filters: { title: 'Jobs', state: 'State', kind: 'Kind', queue: 'Queue', tenant: 'Tenant', any: 'any' },
  list: {
    count: (count: number) => (count === 0 ? 'No matching jobs.' : `${jobs(count)}, newest first`),
    id: 'Job',
    state: 'State',
    queue: 'Queue',
    tenant: 'Tenant',
    accepted: 'Accepted',
    attempts: 'Attempts',
    reason: 'Reason',
  },
} as const;

export const jobQueues = {
  title: 'Queues',
  count: (count: number, omitted: number) => {
    if (count === 0) return 'No queue has unfinished or dead jobs.';
    return `${count === 1 ? '1 queue' : `${count} queues`} with unfinished or dead jobs${omitted > 0 ? `; ${omitted} more are not listed` : ''}`;
  },
  name: 'Queue',
  oldest: 'Oldest queued',
  age,
  paused: (tenant: string | null) => (tenant === null ? 'paused' : `tenant ${tenant} paused`),
  since: 'since',
  pausedWhy: (reason: string, processes: number, all: number) =>
    `: ${reason}${processes < all ? `, in ${processes} of ${all} processes` : ''}`,
  morePauses: (count: number) => (count === 1 ? '1 more tenant is paused' : `${count} more tenants are paused`),
} as const;

export const schedules = {
  title: 'Schedules',
  lead: 'Webhooks that the gateway calls on a schedule or once at a given time.',
  triggers: 'Cron triggers',
  triggerCount: (count: number, omitted: number) => ofMetadata(count, 'cron trigger', omitted),
  trigger: 'Trigger',
  schedule: 'Schedule',
  next: 'Next run',
  notPlanned: 'not scheduled by any gateway',
  last: 'Last run',
  outcome: 'State',
  events: 'Upcoming one-off events',
  eventCount: (count: number, areMore: boolean) => {
    if (count === 0) return 'There are no upcoming events.';
    return `${count === 1 ? '1 event' : `${count} events`}, soonest first${areMore ? '; there are more' : ''}`;
  },
  time: 'Time',
  event: 'Event',
  origin: 'Webhook',
} as const;

export const deliveries = {
  title: 'Deliveries',
  lead: 'Events that services post, and the webhooks that receive them.',
  subscriptions: 'Subscriptions',
  subscriptionCount: (count: number, omitted: number) => ofMetadata(count, 'subscription', omitted),
  subscription: 'Subscription',
  types: 'Event types',
  tenants: 'Tenants',
  all: 'all',
  more: (count: number) => `and ${count} more`,
  order: 'Ordered by',
  toDeliver: 'Pending',
  producers: 'Producers',
  producerCount: (count: number, omitted: number) => ofMetadata(count, 'producer', omitted),
  producer: 'Producer',
  sources: 'Sources',
} as const;

export const jobView = {
  all: 'All jobs',
  title: 'Job',
  id: 'ID',
  kind: 'Kind',
  attempts: (made: number, most: number) => `${made} of ${most}`,
  progress: 'Progress',
  percent: (percent: number) => `${Math.round(percent)} %`,
  runs: 'Next run',
  expires: 'Expires',
  started: 'Last started',
  finished: 'Finished',
  error: 'Error code',
  orderKey: 'Order key',
  idempotencyKey: 'Idempotency key',
  hidden: 'The input, session and result are personal data. Use “portico jobs show --payload” to see them.',
  calls: 'Webhook calls',
  callCount: (count: number) =>
    count === 0
      ? 'No calls are logged. Calls to actions are never logged.'
      : count === 1
        ? '1 call'
        : `The last ${count} calls`,
  callTime: 'Time',
  callStatus: 'Response',
  noAnswer: 'no response',
} as const;

export const jobActs = {
  title: 'Manage',
  titleOf: (queue: string, tenant: string | undefined) => `Manage ${ofTenant(queue, tenant)}`,
  retry: 'Retry',
  retryTitle: 'Run this job again?',
  retryText:
    'The job runs immediately with the same idempotency key, and its attempts start over. Its webhook is called again.',
  cancel: 'Cancel job',
  cancelTitle: 'Cancel this job?',
  cancelText:
    'The job does not run again, and its input is deleted. If it is running, it is aborted, but its webhook may already have done its work. This cannot be undone.',
  purge: 'Purge',
  purgeTitle: 'Purge this job?',
  purgeText: 'The dead job and its input are deleted. It can no longer be retried.',
  retryAll: 'Retry dead jobs',
  retryAllTitle: (queue: string, tenant: string | undefined) => `Retry all dead jobs of ${ofTenant(queue, tenant)}?`,
  retryAllText:
    'At most 10,000 jobs run immediately with the same idempotency keys, and their attempts start over. Their webhook is called again.',
  cancelAll: 'Cancel unfinished jobs',
  cancelAllTitle: (queue: string, tenant: string | undefined) =>
    `Cancel all unfinished jobs of ${ofTenant(queue, tenant)}?`,
  cancelAllText:
    'At most 10,000 jobs that are queued, scheduled, waiting or running are cancelled, and their input is deleted. Running jobs are aborted, but their webhook may already have done its work. This cannot be undone.',
  purgeAll: 'Purge dead jobs',
  purgeAllTitle: (queue: string, tenant: string | undefined) => `Purge all dead jobs of ${ofTenant(queue, tenant)}?`,
  purgeAllText: 'At most 10,000 jobs and their input are deleted. They can no longer be retried.',
  retried: (count: number) => `${jobs(count)} will run again.`,
  cancelled: (count: number) => (count === 1 ? '1 job was cancelled.' : `${count} jobs were cancelled.`),
  purged: (count: number) => (count === 1 ? '1 job was purged.' : `${count} jobs were purged.`),
} as const;
