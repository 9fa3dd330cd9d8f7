import { expect, test } from '@jest/globals';
import { AuditDeduplicator } from '../../../auth-service/audit/deduplicator.ts';
import type { AuditEntry } from '../../../auth-service/audit/entry.ts';

const MINUTE_MS = 60_000;

test.each([
  ['a minute later', MINUTE_MS],
  ['when the clock was set back', -60 * MINUTE_MS],
])('what is done over and over is written down with its number %s', (_when, later) => {
  let now = Date.parse('2026-11-23T12:00:00Z');
  const deduplicator = new AuditDeduplicator(() => new Date(now));
  const entry = (): AuditEntry => ({
    at: new Date(now),
    event: 'login',
    outcome: 'throttled',
    tenantId: 1,
    actor: { kind: 'unknown' },
    origin: { address: null, userAgent: null, requestId: null },
  });
  expect(deduplicator.countEntry(entry(), 'alice')).toBeDefined();
  expect(deduplicator.countEntry(entry(), 'alice')).toBeUndefined();
  expect(deduplicator.takeEnded()).toEqual([]);
  now += later;

  expect(deduplicator.takeEnded()).toMatchObject([{ details: { repeated: 1, since: '2026-11-23T12:00:00.000Z' } }]);
  expect(deduplicator.backlog).toBe(0);
});
