import { afterAll, describe, expect, test } from '@jest/globals';
import pino from 'pino';
import { ClockSkew } from '../../../gateway/access/session/jwt/clock-skew.ts';
import { keeper, openPlatform, reply, serve, until } from '../harness/index.ts';

const { keep, close } = keeper();
afterAll(close);

/** By how much the issuer's clock is ahead, in seconds. */
let ahead = 0;
const issuer = await keep(
  serve((_request, response) => {
    response.setHeader('date', new Date(Date.now() + ahead * 1000).toUTCString());
    reply(response, 200, { cursor: '0', revocations: [] });
  }),
);

test('clocks that differ show in readiness before every token is refused for it', async () => {
  ahead = 90;
  const { gateway } = await keep(
    openPlatform({
      waitUntilReady: false,
      environment: { PORTICO_REVOCATION_URL: `${issuer.url}/revocations`, PORTICO_REVOCATION_INTERVAL_SECONDS: '1' },
    }),
  );
  const readiness = async () => {
    const { status, body } = await gateway.send('/readyz');
    return { status, skew: (body as { clock_skew_seconds?: number }).clock_skew_seconds ?? 0 };
  };
  await until('the difference is known', async () => (await readiness()).skew > 85);
  await until('it is not ready', async () => (await readiness()).status === 503);

  ahead = 10;
  await until('it is ready', async () => (await readiness()).status === 200);
  expect((await readiness()).skew).toBeGreaterThan(8);
});

describe('the clock of the issuer', () => {
  const NOW = Date.UTC(2026, 10, 22, 12, 0, 0);

  async function observe(answers: { secondsAhead: number; roundTripMs?: number; age?: string; date?: string }[]) {
    const lines: { level: number; event?: string }[] = [];
    let now = NOW;
    const skew = new ClockSkew(pino({}, { write: (line) => lines.push(JSON.parse(line)) }), () => now);
    for (const { secondsAhead, roundTripMs = 0, age, date } of answers) {
      now = NOW;
      const call = skew.observing(async () => {
        now += roundTripMs;
        const said = date ?? new Date(NOW + secondsAhead * 1000).toUTCString();
        return { status: 200, headers: { date: said, ...(age && { age }) }, body: '' };
      });
      await call({ url: 'http://issuer', method: 'GET', headers: {}, timeoutMs: 1 });
    }
    return { seconds: skew.seconds, tolerable: skew.tolerable, lines };
  }

  test('is warned of once from five seconds on, and once when it is right again', async () => {
    expect((await observe([{ secondsAhead: 4 }])).lines).toEqual([]);
    const apart = { secondsAhead: -6 };
    const { lines } = await observe([apart, apart, { secondsAhead: 0 }, { secondsAhead: 0 }]);
    expect(lines.map(({ level, event }) => [level, event])).toEqual([
      [40, 'clock.skew'],
      [30, 'clock.skew'],
    ]);
  });

  test('is out of tolerance beyond a minute either way, when two answers in a row say so', async () => {
    for (const secondsAhead of [70, -70]) {
      expect((await observe([{ secondsAhead }])).tolerable).toBe(true);
      expect((await observe([{ secondsAhead }, { secondsAhead: 0 }, { secondsAhead }])).tolerable).toBe(true);
      expect((await observe([{ secondsAhead }, { secondsAhead }])).tolerable).toBe(false);
    }
    expect((await observe([{ secondsAhead: 55 }, { secondsAhead: 55 }])).tolerable).toBe(true);
  });

  test('is not derived from slow answers, by answers without a date, or by what a cache kept', async () => {
    const slow = { secondsAhead: 100, roundTripMs: 2_500 };
    expect((await observe([slow, slow])).seconds).toBeUndefined();
    expect((await observe([{ secondsAhead: 0, date: 'soon' }])).seconds).toBeUndefined();
    const kept = { secondsAhead: -100, age: '100' };
    expect((await observe([kept, kept])).tolerable).toBe(true);
  });
});
