import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { RevocationFeed } from '../../../gateway/access/session/authentication/revocations.ts';
import { createLogger } from '../../../platform/index.ts';

const HOUR_MS = 3_600_000;
const INTERVAL_MS = 2_000;
const REVOKED = { sessionId: 'session-1', userId: 'user-1', tenantId: '1', issuedAt: 1_000 };
const OTHER = { ...REVOKED, sessionId: 'session-2' };

/** How far the gateway's clock is ahead. Timers run by another clock. */
let ahead = 0;
/** The pages of the issuer; undefined: it does not answer. */
let pages: readonly { readonly sid: string; readonly until: number }[][] | undefined;
let feed: RevocationFeed;

beforeEach(() => {
  jest.useFakeTimers();
  const until = Date.now() / 1000 + 900;
  ahead = 0;
  pages = [[{ sid: 'session-1', until }], [{ sid: 'session-3', until }]];
  feed = new RevocationFeed({
    url: 'http://issuer.test/revocations',
    secret: undefined,
    intervalMs: INTERVAL_MS,
    maxAgeMs: 60_000,
    acceptWhenLost: false,
    log: createLogger('test', 'error', { write: () => {} }),
    now: () => Date.now() + ahead,
    fetchPage: async (url) => {
      if (!pages) throw new Error('no answer');
      const after = Number(new URL(url).searchParams.get('after') ?? 0);
      return { cursor: String(after + 1), more: after + 1 < pages.length, revocations: pages[after] ?? [] };
    },
  });
  feed.start();
});

afterEach(() => {
  feed.stop();
  jest.useRealTimers();
});

const poll = () => jest.advanceTimersByTimeAsync(INTERVAL_MS);

describe('when the clock of the gateway', () => {
  test('was ahead for a while, what was revoked before stays revoked', async () => {
    await poll();
    ahead = HOUR_MS;
    await poll();
    ahead = 0;
    await poll();

    expect(feed.known).toBe(true);
    expect(feed.isRevoked(REVOKED)).toBe(true);
    expect(feed.isRevoked({ ...OTHER, sessionId: 'session-3' })).toBe(true);
    expect(feed.isRevoked(OTHER)).toBe(false);
  });

  test('is set back while the list cannot be fetched, the list is lost all the same', async () => {
    await poll();
    expect(feed.refusal(OTHER)).toBeUndefined();
    pages = undefined;
    ahead = -HOUR_MS;
    await poll();

    expect(feed.known).toBe(false);
    expect(feed.refusal(OTHER)?.status).toBe(503);
  });

  test('is set back, the list is known again after the next poll', async () => {
    await poll();
    ahead = -HOUR_MS;
    await poll();

    expect(feed.refusal(OTHER)).toBeUndefined();
    expect(feed.isRevoked(REVOKED)).toBe(true);
  });
});
