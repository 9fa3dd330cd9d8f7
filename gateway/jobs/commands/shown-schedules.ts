import type { JobSummary } from '../engine/index.ts';
import { type ShownJob, shownJob } from './shown-jobs.ts';

/** A cron trigger of the metadata. */
export interface ScheduledTrigger {
  readonly name: string;
  /** The five fields of the cron expression. */
  readonly expression: string;
  readonly timeZone: string;
  readonly comment: string | null;
  /** Returns the first time after a moment, or undefined if there is none. */
  readonly next: (after: Date) => Date | undefined;
}

/** A cron trigger as operators see it. It contains nothing of the webhook, headers and payload. */
export interface ShownTrigger {
  readonly name: string;
  readonly schedule: string;
  readonly time_zone: string;
  readonly comment: string | null;
  /** The next time, by the database's clock. */
  readonly next_at: string | null;
  /** Whether a gateway creates jobs from its times. */
  readonly is_planned: boolean;
  /** The last time that has come. Null if none has come yet or none is kept. */
  readonly last: (ShownJob & { readonly scheduled_at: string }) | null;
}

/** When the triggers were last planned, and their last runs. */
export interface TriggerHistory {
  readonly now: Date;
  readonly plannedUntil: Date | undefined;
  readonly last: JobSummary | undefined;
}

export function shownTrigger(
  { name, expression, timeZone, comment, next }: ScheduledTrigger,
  { now, plannedUntil, last }: TriggerHistory,
  toOperator: boolean,
): ShownTrigger {
  return {
    name,
    schedule: expression,
    time_zone: timeZone,
    comment,
    next_at: next(now)?.toISOString() ?? null,
    is_planned: plannedUntil !== undefined && plannedUntil > now,
    // The idempotency key of a cron job is its scheduled time.
    last: last ? { ...shownJob(last, toOperator), scheduled_at: last.idempotencyKey } : null,
  };
}
