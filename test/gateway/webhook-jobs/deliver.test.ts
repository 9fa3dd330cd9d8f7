import { describe, expect, test } from '@jest/globals';
import type { RunningJob } from '../../../gateway/jobs/engine/index.ts';
import type { UpstreamResponse } from '../../../gateway/upstream/index.ts';
import { deliverWebhook } from '../../../gateway/webhooks/jobs/index.ts';

/** What a webhook that is broken makes of the attempt. */
function failedAttempt(attempt: number, retryIntervalMs: number, headers: Record<string, string> = {}) {
  const response = { status: 500, headers, body: '' } as UpstreamResponse;
  return deliverWebhook(
    {
      http: { send: async () => response },
      request: { url: 'http://hook.test/', method: 'POST', headers: {}, body: '{}' },
      secrets: [],
      timeoutMs: 1_000,
      attempts: 100,
      retryIntervalMs,
    },
    { id: 'd1', attempt } as RunningJob,
    new AbortController().signal,
  );
}

describe('an attempt that failed is repeated', () => {
  test('after the configured interval first, and then after twice as long each time up to ten minutes', async () => {
    const outcomes = await Promise.all([1, 2, 3, 4, 7, 8, 50].map((attempt) => failedAttempt(attempt, 5_000)));
    expect(outcomes).toMatchObject(
      [5_000, 10_000, 20_000, 40_000, 320_000, 600_000, 600_000].map((afterMs) => ({ outcome: 'retry', afterMs })),
    );
  });

  test('after an interval that is longer than ten minutes as it is', async () => {
    const outcomes = await Promise.all([1, 5].map((attempt) => failedAttempt(attempt, 3_600_000)));
    expect(outcomes).toMatchObject([{ afterMs: 3_600_000 }, { afterMs: 3_600_000 }]);
  });

  test('after Retry-After where that is longer', async () => {
    expect(await failedAttempt(2, 5_000, { 'retry-after': '60' })).toMatchObject({ afterMs: 60_000 });
    expect(await failedAttempt(2, 5_000, { 'retry-after': '7' })).toMatchObject({ afterMs: 10_000 });
  });
});
