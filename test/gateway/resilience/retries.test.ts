import { describe, expect, test } from '@jest/globals';
import { RetryBudget, retryAfterMs, retryPauseMs } from '../../../gateway/upstream/resilience/index.ts';

describe('the budget of retries', () => {
  const spend = (budget: RetryBudget) => {
    let retries = 0;
    while (budget.withdraw()) retries++;
    return retries;
  };

  test('is a share of the queries, beside a small reserve', () => {
    const budget = new RetryBudget(20);
    expect(spend(budget)).toBe(10);
    let retries = 0;
    for (let i = 0; i < 1_000; i++) {
      budget.deposit();
      if (budget.withdraw()) retries++;
    }
    expect(retries).toBeGreaterThanOrEqual(199);
    expect(retries).toBeLessThanOrEqual(200);
  });

  test('is not saved up beyond the reserve', () => {
    const budget = new RetryBudget(20);
    for (let i = 0; i < 1_000; i++) budget.deposit();
    expect(spend(budget)).toBe(10);
  });

  test('may be none at all', () => {
    const budget = new RetryBudget(0);
    budget.deposit();
    expect(spend(budget)).toBe(0);
  });
});

test('the pause before a retry is any time up to a limit that doubles, and stops growing', () => {
  expect([0, 1, 2, 9].map((retry) => retryPauseMs(50, retry, 1))).toEqual([50, 100, 200, 2_000]);
  expect(retryPauseMs(50, 1, 0.25)).toBe(25);
  expect(retryPauseMs(50, 5, 0)).toBe(0);
});

test.each<[string | string[] | undefined, number | undefined]>([
  ['3', 3_000],
  [' 0 ', 0],
  [['2', '9'], 2_000],
  ['Thu, 01 Jan 1970 00:01:00 GMT', 50_000],
  ['Thu, 01 Jan 1970 00:00:01 GMT', 0],
  ['-1', undefined],
  ['1.5', undefined],
  ['soon', undefined],
  ['', undefined],
  [undefined, undefined],
])('Retry-After: %j means %j milliseconds', (header, expected) => {
  expect(retryAfterMs(header, 10_000)).toBe(expected);
});
