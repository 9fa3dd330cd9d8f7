import { Cron } from 'croner';
import { CronSyntaxError } from './errors.ts';
import { normalizeExpression } from './fields.ts';

/** A name of the IANA time zone database. Offsets such as `+01:00` do not match. */
const ZONE_NAME = /^[A-Za-z][A-Za-z0-9_+-]*(?:\/[A-Za-z0-9_+-]+)*$/;

/**
 * The times of a cron expression of five fields in a time zone, to the minute. If neither the day of month nor the day of week
 * is `*`, a time matches if one of them does, as in crontab.
 *
 * Daylight saving works as in Vixie cron. If neither minute nor hour has a `*` or a step, a skipped time runs right after the
 * gap, and a repeated time runs once, at its first occurrence. All other expressions follow the clock: skipped times do not
 * run, and repeated times run twice.
 */
export class CronSchedule {
  /** The expression as it was written. */
  readonly expression: string;
  readonly timeZone: string;
  readonly #cron: Cron;

  /**
   * @throws CronSyntaxError if the expression does not have five valid fields or never matches, or if the time zone is unknown.
   */
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

  /** Returns the first time after `moment`, or undefined if there is none. */
  next(moment: Date): Date | undefined {
    return this.#cron.nextRun(moment) ?? undefined;
  }

  /** Returns whether `moment` is one of the times. */
  matches(moment: Date): boolean {
    return this.next(new Date(moment.getTime() - 1))?.getTime() === moment.getTime();
  }

  /** Returns the last times up to `until`, the earliest first, at most `most`. */
  last(most: number, until: Date): readonly Date[] {
    // `previousRuns` excludes the second that it is given, so the next second includes `until`.
    const times = this.#cron.previousRuns(most, new Date(until.getTime() + 1_000));
    return times.filter((time) => time <= until).reverse();
  }

  /** Returns the times after `after` up to `until`, the earliest first, at most `most`. */
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
