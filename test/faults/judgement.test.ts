import { describe, expect, test } from '@jest/globals';
import { parseFaultArguments } from '../../faults/arguments.ts';
import type { Fault } from '../../faults/fault.ts';
import { type TableSample, tableGrowth } from '../../faults/jobs/index.ts';
import { describeFailure, type Failure, isComeBackLater, type LoadAttempt } from '../../faults/load/index.ts';
import { judgeFault, skipped, verdictTable, verdictWord } from '../../faults/report/index.ts';
import { flatness } from '../../faults/soak/flatness.ts';
import type { SoakSample } from '../../faults/soak/samples.ts';
import { faultsNamed, SUITE } from '../../faults/suite.ts';

const UNAVAILABLE: Failure = { status: 503, code: 'unavailable', hasRetryAfter: true };
const SPAN = { beganAt: 1_000, goneAt: 5_000 };

const attempt = (sentAt: number, failure?: Failure): LoadAttempt => ({
  kind: 'refresh',
  sentAt,
  endedAt: sentAt + 10,
  failure,
});

function fault(changes: Partial<Fault> = {}): Fault {
  return { name: 'one', group: 'some', promise: 'all is well', run: async () => {}, ...changes };
}

describe('the verdict on a fault', () => {
  test('a promise that allows no failure is broken by one', () => {
    const { problems, failed, requests } = judgeFault(
      fault(),
      [attempt(0), attempt(2_000, UNAVAILABLE)],
      SPAN,
      [],
      true,
    );
    expect({ failed, requests }).toEqual({ failed: 1, requests: 2 });
    expect(problems).toEqual(['refresh: 503 unavailable, 1 times, first sent 1.0 s after the beginning']);
  });

  test('failures that are allowed break it when they last longer than promised', () => {
    const healing = fault({ allows: ({ failure }) => failure === UNAVAILABLE, healsWithinSeconds: 5 });
    expect(judgeFault(healing, [attempt(9_900, UNAVAILABLE)], SPAN, [], true)).toMatchObject({
      problems: [],
      healedAfterMs: 4_900,
    });
    expect(judgeFault(healing, [attempt(10_100, UNAVAILABLE)], SPAN, [], true).problems).toEqual([
      'requests still failed 5.1 s after the cause was gone',
    ]);
  });

  test('another problem breaks it, and so does a fault without load', () => {
    expect(judgeFault(fault(), [attempt(0)], SPAN, ['an order is gone'], true).problems).toEqual(['an order is gone']);
    expect(judgeFault(fault(), [], SPAN, [], true).problems).toEqual(['no request was sent']);
  });

  test('a fault that nothing shows to have taken effect is not kept', () => {
    const successes = [attempt(0), attempt(2_000)];
    const verdicts = SUITE.map((each) => judgeFault(each, successes, SPAN, [], false));
    expect(new Set(verdicts.map(verdictWord))).toEqual(new Set(['NO EFFECT']));
    expect(verdicts.filter(({ problems }) => problems.length === 0)).toEqual([]);
    expect(judgeFault(fault(), successes, SPAN, [], true).problems).toEqual([]);
  });

  test('a failed request of the expected kind shows the effect, unless it ended before the fault', () => {
    const failing = fault({ allows: () => true, isEffect: ({ failure }) => failure === UNAVAILABLE });
    expect(verdictWord(judgeFault(failing, [attempt(2_000, UNAVAILABLE)], SPAN, [], false))).toBe('kept');
    const other = { ...UNAVAILABLE, code: 'other' };
    expect(verdictWord(judgeFault(failing, [attempt(2_000, other)], SPAN, [], false))).toBe('NO EFFECT');
    expect(verdictWord(judgeFault(failing, [attempt(500, UNAVAILABLE)], SPAN, [], false))).toBe('NO EFFECT');
  });

  test('a 503 is one to come back for only with Retry-After', () => {
    expect(isComeBackLater(UNAVAILABLE)).toBe(true);
    expect(isComeBackLater({ ...UNAVAILABLE, hasRetryAfter: false })).toBe(false);
    expect(isComeBackLater({ ...UNAVAILABLE, status: 400 })).toBe(false);
    expect(describeFailure({ ...UNAVAILABLE, hasRetryAfter: false })).toBe('503 unavailable without Retry-After');
  });

  test('the table lists kept, broken and skipped promises', () => {
    const table = verdictTable([
      judgeFault(fault(), [attempt(0)], SPAN, [], true),
      judgeFault(fault(), [attempt(0, UNAVAILABLE)], SPAN, [], true),
      skipped(fault(), 'it is not installed'),
    ]);
    const verdicts = table.trim().split('\n').slice(2);
    expect(verdicts.map((line) => line.split(' | ').at(-1))).toEqual([
      'kept |',
      'BROKEN |',
      'SKIPPED: it is not installed |',
    ]);
  });
});

describe('a soak', () => {
  const sample = (
    minute: number,
    changes: Partial<SoakSample['processes'][number]> = {},
    revocations = 0,
  ): SoakSample => ({
    minute,
    loadAverage: 1,
    processes: [
      {
        name: 'gateway-1/1',
        pid: 1,
        residentMb: 200,
        heapFloorMb: 50,
        descriptors: 40,
        connections: 20,
        loopP99Ms: 5,
        ...changes,
      },
    ],
    rows: { revocations },
  });
  const minutes = Array.from({ length: 12 }, (_, index) => index + 1);

  test('is flat when only the warm-up grows', () => {
    expect(flatness(minutes.map((minute) => sample(minute, { residentMb: minute < 4 ? 50 * minute : 200 })))).toEqual(
      [],
    );
  });

  test('is not flat when memory, descriptors or rows grow on, or a process is replaced', () => {
    const growing = (minute: number) => sample(minute, { residentMb: 200 + 20 * minute, descriptors: 40 + 5 * minute });
    expect(flatness(minutes.map(growing))).toEqual([
      'gateway-1/1: from 340 to 420 MB resident',
      'gateway-1/1: from 75 to 95 descriptors',
    ]);
    expect(flatness(minutes.map((minute) => sample(minute, {}, 100 * minute)))).toEqual([
      'the table revocations grew from 700 to 1100 rows',
    ]);
    expect(flatness(minutes.map((minute) => sample(minute, { pid: minute > 6 ? 2 : 1 })))).toEqual([
      'gateway-1/1 was replaced',
    ]);
  });

  test('fails when event loops are late, or when it was too short for a trend', () => {
    expect(flatness(minutes.map((minute) => sample(minute, { loopP99Ms: 30 })))).toEqual([
      'gateway-1/1: the event loop was late by 30 ms (p99)',
    ]);
    expect(flatness([sample(1)])).toEqual(['fewer than 6 minutes show no trend']);
  });
});

test('tables of jobs are flat while autovacuum keeps up, and not when dead rows or the table grow on', () => {
  const minutes = (of: (minute: number) => Partial<TableSample>) =>
    Array.from({ length: 12 }, (_, index) => ({
      minute: index + 1,
      deadRows: 1_000 * (index % 4),
      liveKb: 800,
      unfinished: 10,
      finished: 600 * index,
      ...of(index + 1),
    }));
  expect(tableGrowth(minutes(() => ({})))).toEqual([]);
  expect(tableGrowth(minutes((minute) => ({ deadRows: 1_000 * minute })))).toEqual([
    'dead rows grew from 6000 to 12000',
  ]);
  expect(tableGrowth(minutes((minute) => ({ liveKb: 100 * minute })))).toEqual([
    'the table of unfinished jobs grew from 600 to 1200 KB',
  ]);
  expect(tableGrowth(minutes(() => ({})).slice(0, 3))).toEqual(['fewer than 6 minutes show no trend']);
});

describe('the arguments of the suite', () => {
  test('name groups, faults and modes', () => {
    expect(parseFaultArguments(['postgres'])).toMatchObject({ mode: 'faults', words: ['postgres'] });
    expect(parseFaultArguments(['soak', '30', '--rate', '20'])).toMatchObject({
      mode: 'soak',
      minutes: 30,
      rate: 20,
    });
    expect(parseFaultArguments(['jobs'])).toMatchObject({ mode: 'jobs', minutes: 10 });
    expect(parseFaultArguments(['jobs-soak', '15'])).toMatchObject({ mode: 'jobs-soak', minutes: 15 });
    expect(faultsNamed([])).toBe(SUITE);
    expect(new Set(faultsNamed(['redis']).map(({ group }) => group))).toEqual(new Set(['redis']));
  });

  test.each([[['--rate', 'fast']], [['soak', 'long']], [['--balancer', 'envoy']], [['--unknown']]])(
    'that cannot be understood are refused: %j',
    (given) => {
      expect(() => parseFaultArguments(given)).toThrow(/npm run faults/);
    },
  );
});
