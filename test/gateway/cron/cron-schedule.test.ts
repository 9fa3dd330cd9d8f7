import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { CronSchedule, CronSyntaxError } from '../../../gateway/jobs/cron/index.ts';

/** The next times of a schedule, to the minute, in UTC. */
function nextTimes(expression: string, timeZone: string, after: string, count: number): readonly string[] {
  const schedule = new CronSchedule(expression, timeZone);
  return schedule
    .between(new Date(`${after}Z`), new Date('2200-01-01'), count)
    .map((time) => time.toISOString().slice(0, 16));
}

type Case = [expression: string, timeZone: string, after: string, times: readonly string[]];

describe('over daylight saving, a time of day', () => {
  test.each<Case>([
    // Berlin skips 02:00 to 03:00 on 29 March 2026, and repeats it on 25 October.
    ['30 2 * * *', 'Europe/Berlin', '2026-03-28T00:00', ['2026-03-28T01:30', '2026-03-29T01:00', '2026-03-30T00:30']],
    ['30 2 * * *', 'Europe/Berlin', '2026-10-24T00:00', ['2026-10-24T00:30', '2026-10-25T00:30', '2026-10-26T01:30']],
    ['0 2,14 * * *', 'Europe/Berlin', '2026-03-28T14:00', ['2026-03-29T01:00', '2026-03-29T12:00', '2026-03-30T00:00']],
    // New York skips 02:00 to 03:00 on 8 March 2026, and repeats 01:00 to 02:00 on 1 November.
    [
      '30 2 * * *',
      'America/New_York',
      '2026-03-07T00:00',
      ['2026-03-07T07:30', '2026-03-08T07:00', '2026-03-09T06:30'],
    ],
    [
      '15 1 * * *',
      'America/New_York',
      '2026-10-31T00:00',
      ['2026-10-31T05:15', '2026-11-01T05:15', '2026-11-02T06:15'],
    ],
    // There the clock goes on at midnight: the day has no 00:00.
    [
      '0 0 * * *',
      'America/Sao_Paulo',
      '2018-11-03T00:00',
      ['2018-11-03T03:00', '2018-11-04T03:00', '2018-11-05T02:00'],
    ],
    ['0 0 * * *', 'Africa/Cairo', '2026-04-23T00:00', ['2026-04-23T22:00', '2026-04-24T21:00', '2026-04-25T21:00']],
    // Lord Howe changes its clock by half an hour.
    [
      '15 2 * * *',
      'Australia/Lord_Howe',
      '2026-10-02T00:00',
      ['2026-10-02T15:45', '2026-10-03T15:30', '2026-10-04T15:15'],
    ],
    [
      '45 1 * * *',
      'Australia/Lord_Howe',
      '2026-04-03T00:00',
      ['2026-04-03T14:45', '2026-04-04T14:45', '2026-04-05T15:15'],
    ],
    // Samoa left out 30 December 2011.
    ['0 12 * * *', 'Pacific/Apia', '2011-12-28T00:00', ['2011-12-28T22:00', '2011-12-29T22:00', '2011-12-30T22:00']],
    // Zones without daylight saving.
    ['0 9 * * *', 'Asia/Kathmandu', '2026-03-28T12:00', ['2026-03-29T03:15', '2026-03-30T03:15']],
    ['30 2 * * *', 'UTC', '2026-03-28T12:00', ['2026-03-29T02:30', '2026-03-30T02:30']],
  ])('comes once, right after a gap and at the first of two: %s in %s', (expression, timeZone, after, times) => {
    expect(nextTimes(expression, timeZone, after, times.length)).toEqual(times);
  });

  test.each<Case>([
    ['*/30 * * * *', 'Europe/Berlin', '2026-03-29T00:10', ['2026-03-29T00:30', '2026-03-29T01:00', '2026-03-29T01:30']],
    [
      '*/30 * * * *',
      'Europe/Berlin',
      '2026-10-25T00:10',
      ['2026-10-25T00:30', '2026-10-25T01:00', '2026-10-25T01:30', '2026-10-25T02:00'],
    ],
    ['0 * * * *', 'America/New_York', '2026-11-01T04:30', ['2026-11-01T05:00', '2026-11-01T06:00', '2026-11-01T07:00']],
    // What is at 02:15 alone is skipped, and comes twice.
    ['15-20/5 2-2/1 * * *', 'Europe/Berlin', '2026-03-28T12:00', ['2026-03-30T00:15', '2026-03-30T00:20']],
  ])('that repeats by itself follows the clock: %s in %s', (expression, timeZone, after, times) => {
    expect(nextTimes(expression, timeZone, after, times.length)).toEqual(times);
  });
});

test.each<Case>([
  ['0 0 29 2 *', 'UTC', '2026-01-01T00:00', ['2028-02-29T00:00', '2032-02-29T00:00']],
  ['0 0 29 2 *', 'UTC', '2096-03-01T00:00', ['2104-02-29T00:00']],
  ['0 0 31 * *', 'UTC', '2026-01-01T00:00', ['2026-01-31T00:00', '2026-03-31T00:00', '2026-05-31T00:00']],
  ['0 0 30 * *', 'UTC', '2026-01-31T00:00', ['2026-03-30T00:00', '2026-04-30T00:00']],
  ['59 23 31 12 *', 'UTC', '2026-01-01T00:00', ['2026-12-31T23:59', '2027-12-31T23:59']],
  // Local days: the first of March begins in February there.
  ['0 0 1 3 *', 'Europe/Berlin', '2026-01-01T00:00', ['2026-02-28T23:00', '2027-02-28T23:00']],
])('ends of months and leap days are those of the calendar: %s in %s', (expression, timeZone, after, times) => {
  expect(nextTimes(expression, timeZone, after, times.length)).toEqual(times);
});

test.each<Case>([
  ['0 0 13 * FRI', 'UTC', '2026-02-01T00:00', ['2026-02-06T00:00', '2026-02-13T00:00', '2026-02-20T00:00']],
  ['0 0 13 * *', 'UTC', '2026-02-01T00:00', ['2026-02-13T00:00', '2026-03-13T00:00']],
  ['0 0 * * FRI', 'UTC', '2026-02-01T00:00', ['2026-02-06T00:00', '2026-02-13T00:00']],
  ['0 0 */10 * MON', 'UTC', '2026-02-01T00:00', ['2026-02-02T00:00', '2026-02-09T00:00', '2026-02-11T00:00']],
])('a day of month or a day of week is enough where both are said: %s', (expression, timeZone, after, times) => {
  expect(nextTimes(expression, timeZone, after, times.length)).toEqual(times);
});

test.each<[written: string, same: string]>([
  ['0 22 * * MON-FRI', '0 22 * * 1-5'],
  ['0 0 * jan,Jul *', '0 0 * 1,7 *'],
  ['0 0 * * 7', '0 0 * * sun'],
  ['0 0 * * 5-7', '0 0 * * 0,5,6'],
  ['5/20 * * * *', '5,25,45 * * * *'],
  ['10-40/15 * * * *', '10,25,40 * * * *'],
  ['*/45 * * * *', '0,45 * * * *'],
  ['*/99 * * * *', '0 * * * *'],
  ['0 0 */40 * *', '0 0 1 * *'],
  ['0 0 * * mon/2', '0 0 * * 1,3,5'],
  ['  0\t0  1 1 * ', '0 0 1 1 *'],
  // As YAML's block texts end.
  ['1 * * * *\n', '1 * * * *'],
  ['@hourly', '0 * * * *'],
  ['@daily', '0 0 * * *'],
  ['@weekly', '0 0 * * 0'],
  ['@monthly', '0 0 1 * *'],
  ['@yearly', '0 0 1 1 *'],
])('"%s" is the same as "%s"', (written, same) => {
  const times = nextTimes(written, 'UTC', '2026-02-01T00:00', 20);
  expect(times).toHaveLength(20);
  expect(times).toEqual(nextTimes(same, 'UTC', '2026-02-01T00:00', 20));
});

describe('is refused:', () => {
  const refusal = (expression: string, timeZone = 'UTC') => {
    try {
      new CronSchedule(expression, timeZone);
    } catch (error) {
      if (error instanceof CronSyntaxError) return `${error.subject}: ${error.message}`;
      throw error;
    }
    return undefined;
  };

  test.each<[expression: string, why: RegExp]>([
    ['', /five fields/],
    ['* * * *', /five fields .* found 4/],
    ['* * * * * *', /five fields .* found 6/],
    ['@reboot', /five fields/],
    ['2026-01-01T00:00:00', /five fields/],
    ['60 * * * *', /0 to 59 in the field minute/],
    ['* 24 * * *', /0 to 23 in the field hour/],
    ['* * 0 * *', /1 to 31 in the field day of month/],
    ['* * 32 * *', /1 to 31 in the field day of month/],
    ['* * * 13 *', /1 to 12 in the field month/],
    ['* * * * 8', /0 to 7 in the field day of week/],
    ['*/0 * * * *', /the step in the field minute must not be 0/],
    ['5-1 * * * *', /runs backwards/],
    ['* * * * fri-mon', /runs backwards/],
    ['* * * mon *', /"mon" is not a valid name in the field month/],
    ['jan * * * *', /"jan" is not a valid name in the field minute/],
    ['* * L * *', /numbers, ranges, lists and steps/],
    ['? * * * *', /numbers, ranges, lists and steps/],
    ['* * 15W * *', /numbers, ranges, lists and steps/],
    ['* * * * mon#1', /numbers, ranges, lists and steps/],
    ['1,,2 * * * *', /numbers, ranges, lists and steps/],
    ['*-5 * * * *', /numbers, ranges, lists and steps/],
    ['-1 * * * *', /numbers, ranges, lists and steps/],
    ['1.5 * * * *', /numbers, ranges, lists and steps/],
    ['0 0 30 2 *', /never run/],
    ['0 0 31 4,6,9,11 *', /never run/],
  ])('the expression "%s"', (expression, why) => {
    expect(refusal(expression)).toMatch(why);
  });

  test.each(['', 'Europe/Nowhere', '+01:00', 'GMT+1', '__proto__', 'Europe/Berlin\n', '../etc', 'Local'])(
    'the time zone %j',
    (timeZone) => {
      expect(refusal('0 0 * * *', timeZone)).toMatch(/^time zone: expected a name/);
    },
  );

  test('any text that is no expression, without another failure', () => {
    const part = fc.string({ unit: fc.constantFrom(...'0123456789*/-,LW#?abcdefgmonsujr@ \t\n\u0000ü'), maxLength: 6 });
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 7 }), (parts) => {
        const expression = parts.join(' ');
        const why = refusal(expression);
        if (why === undefined) expect(new CronSchedule(expression, 'UTC').next(new Date(0))).toBeInstanceOf(Date);
      }),
      { seed: 1, numRuns: 2_000 },
    );
  });
});

test('every time is to the minute, matches, and is later than the one before', () => {
  const number = (min: number, max: number) => fc.integer({ min, max }).map(String);
  const field = (min: number, max: number) =>
    fc.oneof(
      fc.constant('*'),
      number(min, max),
      fc.integer({ min: 1, max: 30 }).map((step) => `*/${step}`),
    );
  fc.assert(
    fc.property(
      fc.tuple(field(0, 59), field(0, 23), field(1, 28), field(1, 12), field(0, 7)),
      fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu'),
      fc.integer({ min: 0, max: 400 * 24 * 60 }),
      (fields, timeZone, minutes) => {
        const schedule = new CronSchedule(fields.join(' '), timeZone);
        let last = Date.UTC(2026, 0, 1) + minutes * 60_000;
        for (const time of schedule.between(new Date(last), new Date('2200-01-01'), 5)) {
          expect(time.getTime()).toBeGreaterThan(last);
          expect(time.getTime() % 60_000).toBe(0);
          expect(schedule.matches(time)).toBe(true);
          expect(schedule.matches(new Date(time.getTime() + 1))).toBe(false);
          last = time.getTime();
        }
      },
    ),
    { seed: 1, numRuns: 300 },
  );
});

test('the times of a span are bounded', () => {
  const schedule = new CronSchedule('* * * * *', 'UTC');
  const hour = schedule.between(new Date('2026-01-01T00:00Z'), new Date('2026-01-01T01:00Z'), 1_000);
  expect([hour.length, hour.at(-1)]).toEqual([60, new Date('2026-01-01T01:00Z')]);
  expect(schedule.between(new Date('2026-01-01T00:00Z'), new Date('2027-01-01T00:00Z'), 100)).toHaveLength(100);
});

test.each<[after: string, until: string]>([
  ['2026-03-28T22:10', '2026-03-29T03:00'],
  ['2026-10-24T22:10', '2026-10-25T03:59'],
  ['2026-01-01T00:00', '2026-01-01T00:59'],
])('the last times are those that came, from %s to %s', (after, until) => {
  for (const timeZone of ['UTC', 'Europe/Berlin'])
    for (const expression of ['*/20 * * * *', '30 2 * * *', '0 0,2,3 * * *']) {
      const schedule = new CronSchedule(expression, timeZone);
      const came = schedule.between(new Date(`${after}Z`), new Date(`${until}Z`), 100);
      expect(schedule.last(came.length, new Date(`${until}Z`))).toEqual(came);
      expect(schedule.last(5, new Date(`${until}Z`))).toHaveLength(5);
    }
});
