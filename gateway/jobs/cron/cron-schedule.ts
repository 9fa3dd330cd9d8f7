import { Cron } from 'croner';
import { CronSyntaxError } from './errors.ts';
import { normalizeExpression } from './fields.ts';

/** A name of the IANA time zone database; offsets such as `+01:00` are none. */
const ZONE_NAME = /^[A-Za-z][A-Za-z0-9_+-]*(?:\/[A-Za-z0-9_+-]+)*$/;

/**
 * The times of a cron expression of five fields in a time zone, to the minute. Where both the day of month and the day of week are
 * other than `*`, one of them is enough, as in crontab.
 *
 * Over daylight saving (as in Vixie cron): where neither minute nor hour has a `*` or a step, a time that a change of the clock
 * skips comes right after the gap, and one that it repeats comes once, at the first; all others follow the clock, so that
 * what is skipped does not come, and what is repeated comes twice.
 */
export class CronSchedule {
  /** As it was written. */
  readonly expression: string;
  readonly timeZone: string;
  readonly #cron: Cron;

  /** @throws CronSyntaxError where the expression is not one of five fields or never comes, or the time zone is unknown. */
  constructor(expression: string, timeZone: string) {
    this.expression = expression;
    this.timeZone = timeZone;
    const normalized = normalizeExpression(expression);
    if (!isTimeZone(timeZone))
      throw new CronSyntaxError('time zone', 'expected a name of the IANA time zone database, such as Europe/Berlin');
    this.#cron = new Cron(normalized, {
      mode: '5-part',
      timezone: timeZone,
      fixedTimeRule: 'no-wildcard',
      paused: true,
    });
    if (!this.next(new Date(0))) throw new CronSyntaxError('expression', 'there is no such day, so it would never run');
  }

  /** The first time after `moment`; undefined where there is none. */
  next(moment: Date): Date | undefined {
    return this.#cron.nextRun(moment) ?? undefined;
  }

  /** Whether `moment` is one of the times. */
  matches(moment: Date): boolean {
    return this.next(new Date(moment.getTime() - 1))?.getTime() === moment.getTime();
  }

  /** The last times up to `until`, the earliest first, `most` at most. */
  last(most: number, until: Date): readonly Date[] {
    // What is asked for is before a second that is not over yet.
    const times = this.#cron.previousRuns(most, new Date(until.getTime() + 1_000));
    return times.filter((time) => time <= until).reverse();
  }

  /** The times after `after` up to `until`, the earliest first, `most` at most. */
  between(after: Date, until: Date, most: number): readonly Date[] {
    const times: Date[] = [];
    let time = this.next(after);
    while (time && time <= until && times.length < most) {
      times.push(time);
      time = this.next(time);
    }
    return times;
  }
}

function isTimeZone(name: string): boolean {
  if (!ZONE_NAME.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
