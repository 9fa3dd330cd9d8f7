import type { JobSummary } from '../engine/index.ts';
import { type ShownJob, shownJob } from './shown-jobs.ts';

/** A cron trigger of the metadata. */
export interface ScheduledTrigger {
  readonly name: string;
  /** The five fields. */
  readonly expression: string;
  readonly timeZone: string;
  readonly comment: string | null;
  /** The first time after a moment; undefined where there is none. */
  readonly next: (after: Date) => Date | undefined;
}

/** A cron trigger as operators see it: nothing of its webhook, headers and payload. */
export interface ShownTrigger {
  readonly name: string;
  readonly schedule: string;
  readonly time_zone: string;
  readonly comment: string | null;
  /** The next time, by the clock of the database. */
  readonly next_at: string | null;
  /** Whether a gateway makes jobs of its times. */
  readonly is_planned: boolean;
  /** The last of its times that has come; null where none has, or none is kept. */
  readonly last: (ShownJob & { readonly scheduled_at: string }) | null;
}

/** When a trigger was planned last, and what ran. */
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
    // The key of such a job is its time.
    last: last ? { ...shownJob(last, toOperator), scheduled_at: last.idempotencyKey } : null,
  };
}
