import { describe, expect, test } from '@jest/globals';
import {
  backoffScheduleOf,
  COUNTER_KINDS,
  DEFAULT_BACKOFF_POLICIES,
  parseBackoffPolicy,
} from '../../../auth-service/throttle/backoff-policy.ts';

const TERMS = { free: 5, first: 1, growth: 2, longest: 900, forget: 43_200 };

describe('the waits', () => {
  test('of an account double from one second to a quarter of an hour', () => {
    const { free, waitsMs } = backoffScheduleOf(DEFAULT_BACKOFF_POLICIES.account);

    expect(free).toBe(5);
    expect(waitsMs.map((wait) => wait / 1000)).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900]);
  });

  test('never get longer where they do not grow', () => {
    expect(backoffScheduleOf({ ...TERMS, growth: 1 }).waitsMs).toEqual([1000]);
  });

  test('are one where the first is the longest', () => {
    expect(backoffScheduleOf({ ...TERMS, first: 900 }).waitsMs).toEqual([900_000]);
  });

  test('may grow by fractions', () => {
    expect(backoffScheduleOf({ ...TERMS, growth: 1.5, longest: 3 }).waitsMs).toEqual([1000, 1500, 2250, 3000]);
  });

  test.each(COUNTER_KINDS)('of the kind %s begin after a few failures and end', (kind) => {
    const { free, waitsMs } = backoffScheduleOf(DEFAULT_BACKOFF_POLICIES[kind]);

    // One failure, and a network is not clean.
    expect(free).toBeGreaterThan(kind === 'clean_address' ? 0 : 1);
    expect(waitsMs.at(-1)).toBe(DEFAULT_BACKOFF_POLICIES[kind].longest * 1000);
    expect(waitsMs).toEqual(waitsMs.toSorted((one, two) => one - two));
  });
});

test('whatever was counted is forgotten after the time for that', () => {
  const { most, fading } = backoffScheduleOf(TERMS);

  expect(most).toBe(15);
  expect(most / fading).toBeCloseTo(43_200_000);
});

describe('terms in a setting', () => {
  test.each([
    ['free=7', { ...TERMS, free: 7 }],
    ['forget=86400 longest=60,first=5', { ...TERMS, forget: 86_400, longest: 60, first: 5 }],
    [' growth=1.5 ', { ...TERMS, growth: 1.5 }],
    ['free=1000000000', { ...TERMS, free: 1_000_000_000 }],
  ])('%p change what they name', (text, expected) => {
    expect(parseBackoffPolicy(text, TERMS)).toEqual(expected);
  });

  test.each([
    ['5', 'free'],
    ['Free=5', 'free'],
    ['constructor=5', 'free'],
    ['free=', 'free from 1'],
    ['free=0', 'free from 1'],
    ['free=-1', 'free from 1'],
    ['free=1.5', 'free from 1'],
    ['growth=0.5', 'growth from 1'],
    ['growth=x', 'growth from 1'],
    ['growth=1.005', 'growth from 1'],
    ['free=5=6', 'words such as free=5'],
    ['free', 'words such as free=5'],
    ['free=5 first=2 free=9', 'free once'],
    ['first=1m', 'first from 1'],
    ['first=10 longest=9', 'longest to be at least first'],
    ['longest=900 forget=899', 'forget to be at least longest'],
  ])('%p are refused', (text, problem) => {
    expect(parseBackoffPolicy(text, TERMS)).toEqual({ problem: expect.stringContaining(problem) });
  });
});
