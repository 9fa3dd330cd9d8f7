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
  lead: 'Work that outlasts a request: asynchronous actions, schedules, deliveries.',
  refresh: 'Refresh',
  noDatabase: 'This gateway has no database for jobs. HASURA_GRAPHQL_METADATA_DATABASE_URL names one.',
  notAllowed:
    'Jobs are shown to platform operators, to the role admin and to the roles of PORTICO_INSIGHT_ROLES. Your login is none of these.',
  looksOnly: 'You may look at jobs. Retrying, cancelling and purging them is for operators.',
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
    scheduled: 'planned',
    waiting: 'waiting',
    dead: 'dead',
    done: 'done',
    failed: 'failed',
    expired: 'expired',
    cancelled: 'cancelled',
  },
  counted: { queued: 'Queued', running: 'Running', scheduled: 'Planned', waiting: 'Waiting', dead: 'Dead' },
  filters: { title: 'Jobs', state: 'State', kind: 'Kind', queue: 'Queue', tenant: 'Tenant', any: 'any' },
  list: {
    count: (count: number) => (count === 0 ? 'No job matches.' : `${jobs(count)}, the newest first`),
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
    if (count === 0) return 'Nothing waits, runs or is dead.';
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
  lead: 'Webhooks that are called on a schedule, or once at a time.',
  triggers: 'Cron triggers',
  triggerCount: (count: number, omitted: number) => ofMetadata(count, 'cron trigger', omitted),
  trigger: 'Trigger',
  schedule: 'Schedule',
  next: 'Next time',
  notPlanned: 'not planned by any gateway',
  last: 'Last time',
  outcome: 'State',
  events: 'One-off events to come',
  eventCount: (count: number, areMore: boolean) => {
    if (count === 0) return 'No event is to come.';
    return `${count === 1 ? '1 event' : `${count} events`}, the soonest first${areMore ? '; there are more' : ''}`;
  },
  time: 'Time',
  event: 'Event',
  origin: 'Called at',
} as const;

export const deliveries = {
  title: 'Deliveries',
  lead: 'Events that services post, and the webhooks that get them.',
  subscriptions: 'Subscriptions',
  subscriptionCount: (count: number, omitted: number) => ofMetadata(count, 'subscription', omitted),
  subscription: 'Subscription',
  types: 'Types of events',
  tenants: 'Tenants',
  all: 'all',
  more: (count: number) => `and ${count} more`,
  order: 'In order by',
  toDeliver: 'To deliver',
  producers: 'Producers',
  producerCount: (count: number, omitted: number) => ofMetadata(count, 'producer', omitted),
  producer: 'Producer',
  sources: 'Sources',
} as const;

export const jobView = {
  all: 'All jobs',
  title: 'Job',
  id: 'Id',
  kind: 'Kind',
  attempts: (made: number, most: number) => `${made} of ${most}`,
  runs: 'Runs next',
  expires: 'Expires',
  started: 'Last started',
  finished: 'Finished',
  error: 'Error code',
  orderKey: 'Order key',
  idempotencyKey: 'Idempotency key',
  hidden: 'Its input, session and result are personal data: “portico jobs show --payload” has them.',
  calls: 'Calls of its webhook',
  callCount: (count: number) =>
    count === 0 ? 'None is logged. Calls of actions never are.' : count === 1 ? '1 call' : `The last ${count} calls`,
  callTime: 'Time',
  callStatus: 'Answer',
  noAnswer: 'no answer',
} as const;

export const jobActs = {
  title: 'Operate',
  titleOf: (queue: string, tenant: string | undefined) => `Operate ${ofTenant(queue, tenant)}`,
  retry: 'Retry',
  retryTitle: 'Run this job again?',
  retryText: 'It is run at once, with all its attempts and the same idempotency key. Its webhook is called again.',
  cancel: 'Cancel the job',
  cancelTitle: 'Cancel this job?',
  cancelText:
    'It is not run any more, and its input is deleted. If it runs now it is aborted; its webhook may have done its work all the same. It cannot be undone.',
  purge: 'Purge',
  purgeTitle: 'Purge this job?',
  purgeText: 'The dead job is deleted with its input. It cannot be retried any more.',
  retryAll: 'Retry dead jobs',
  retryAllTitle: (queue: string, tenant: string | undefined) => `Retry all dead jobs of ${ofTenant(queue, tenant)}?`,
  retryAllText:
    'They are run at once, 10,000 at most, with all their attempts and the same idempotency keys. Their webhook is called again.',
  cancelAll: 'Cancel unfinished jobs',
  cancelAllTitle: (queue: string, tenant: string | undefined) => `Cancel all of ${ofTenant(queue, tenant)}?`,
  cancelAllText:
    'Jobs that are queued, planned, waiting or running are not run any more, 10,000 at most, and their input is deleted. What runs now is aborted; its webhook may have done its work all the same. It cannot be undone.',
  purgeAll: 'Purge dead jobs',
  purgeAllTitle: (queue: string, tenant: string | undefined) => `Purge all dead jobs of ${ofTenant(queue, tenant)}?`,
  purgeAllText: 'They are deleted with their input, 10,000 at most. They cannot be retried any more.',
  retried: (count: number) => `${jobs(count)} will be run again.`,
  cancelled: (count: number) => (count === 1 ? '1 job was cancelled.' : `${count} jobs were cancelled.`),
  purged: (count: number) => (count === 1 ? '1 job was purged.' : `${count} jobs were purged.`),
} as const;
