import type { Bounded } from './insight.ts';

// Results of the commands about jobs of docs/jobs.md.

export const JOB_STATES = [
  'queued',
  'running',
  'scheduled',
  'waiting',
  'dead',
  'done',
  'failed',
  'expired',
  'cancelled',
] as const;

export type JobState = (typeof JOB_STATES)[number];

export interface Job {
  readonly id: string;
  readonly kind: string;
  readonly queue: string;
  /** Empty for jobs of no tenant. */
  readonly tenant: string;
  readonly state: JobState;
  readonly attempts: number;
  readonly max_attempts: number;
  readonly accepted_at: string;
  readonly run_at: string | null;
  readonly expires_at: string | null;
  readonly started_at: string | null;
  readonly finished_at: string | null;
  readonly reason: string | null;
  /** These two are for operators only. */
  readonly order_key: string | null;
  readonly idempotency_key: string | null;
}

export interface JobDetails extends Job {
  readonly error_code: string | null;
  /** The progress that the running attempt has reported. */
  readonly percent: number | null;
  readonly invocations: readonly {
    readonly id: string;
    readonly created_at: string;
    readonly status: number | null;
  }[];
}

export interface JobQueue {
  readonly kind: string;
  readonly queue: string;
  readonly queued: number;
  readonly running: number;
  readonly scheduled: number;
  readonly waiting: number;
  readonly dead: number;
  readonly oldest_queued_seconds: number | null;
  readonly pauses: readonly QueuePause[];
}

/** A queue, or a tenant of it, of which processes begin no job for now. */
export interface QueuePause {
  /** Null: all tenants. */
  readonly tenant: string | null;
  readonly reason: string;
  readonly since: string;
  /** In the past while a job is tried again. */
  readonly until: string;
  readonly processes: number;
  readonly of_processes: number;
}

export interface JobPage {
  readonly items: readonly Job[];
  readonly next: string | null;
}

export interface JobQueues {
  readonly items: readonly JobQueue[];
  readonly omitted: number;
}

/** A cron trigger of the metadata. */
export interface CronTrigger {
  readonly name: string;
  readonly schedule: string;
  readonly time_zone: string;
  readonly comment: string | null;
  readonly next_at: string | null;
  /** Whether a gateway makes jobs of its times. */
  readonly is_planned: boolean;
  readonly last: (Job & { readonly scheduled_at: string }) | null;
}

export interface CronTriggers {
  readonly items: readonly CronTrigger[];
  readonly omitted: number;
}

/** One-off events that have not ended, the soonest first. */
export interface PendingEvents {
  readonly items: readonly Job[];
  readonly are_more: boolean;
}

/** A webhook of the metadata that events are delivered to, with the jobs of its queue. */
export interface EventSubscription extends Omit<JobQueue, 'kind' | 'queue'> {
  readonly name: string;
  readonly comment: string | null;
  readonly types: Bounded<string>;
  /** Null: all. */
  readonly tenants: Bounded<string> | null;
  readonly order_key: string | null;
}

/** A service of the metadata that posts events. */
export interface EventProducer extends Pick<EventSubscription, 'name' | 'comment' | 'types' | 'tenants'> {
  readonly sources: Bounded<string>;
}

export interface EventSubscriptions {
  readonly subscriptions: Bounded<EventSubscription>;
  readonly producers: Bounded<EventProducer>;
}

/** Whether the caller may act on jobs, beside each answer. */
export interface MayOperate {
  readonly may_operate: boolean;
}
