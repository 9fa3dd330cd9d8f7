import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { JwtAuthenticator } from '../../../gateway/access/session/authentication/jwt-authenticator.ts';
import { parseJwtSecrets } from '../../../gateway/access/session/index.ts';
import type { JwtSecret } from '../../../gateway/access/session/jwt/index.ts';
import { type FetchKeys, RemoteKeySet } from '../../../gateway/access/session/jwt/remote-key-set.ts';
import { createLogger } from '../../../platform/index.ts';
import { makeKey, signToken } from '../harness/index.ts';

const first = makeKey('first');
const second = makeKey('second');

/** An issuer whose answers a test decides: an Error is one that does not answer. */
let published: { keys: unknown; cacheControl?: string } | Error;
let asked = 0;
/** How far the gateway's clock is ahead, in milliseconds. */
let ahead = 0;
let lines: string[] = [];
let keys: RemoteKeySet;

beforeEach(() => {
  jest.useFakeTimers();
  published = { keys: [first.jwk], cacheControl: 'max-age=60' };
  asked = 0;
  ahead = 0;
  lines = [];
  keys = new RemoteKeySet({
    url: 'http://issuer.test/jwks.json',
    now: () => Date.now() + ahead,
    log: createLogger('test', 'trace', { write: (line) => void lines.push(line) }),
    fetchKeys: async () => {
      asked += 1;
      if (published instanceof Error) throw published;
      return { json: { keys: published.keys }, cacheControl: published.cacheControl };
    },
  });
});

afterEach(() => {
  keys.stop();
  jest.useRealTimers();
});

const pass = (seconds: number) => jest.advanceTimersByTimeAsync(seconds * 1000);
const has = async (kid: string) => (await keys.find(kid, 'ES256')).length > 0;

describe('the keys of an issuer', () => {
  test('are fetched at once and kept', async () => {
    expect(keys.ready).toBe(false);
    keys.start();
    await pass(0);
    expect(keys.ready).toBe(true);
    expect([await has('first'), await has('first'), asked]).toEqual([true, true, 1]);
    expect(lines.join('')).toContain('token_keys.loaded');
  });

  test.each([
    ['max-age=60', 60],
    ['public, max-age=120', 120],
    ['max-age=60, s-maxage=90', 60],
    ['max-age=1', 5],
    ['max-age=99999999', 86_400],
    [undefined, 300],
  ])('are refreshed after the time that Cache-Control: %s says', async (cacheControl, seconds) => {
    published = { keys: [first.jwk], ...(cacheControl !== undefined && { cacheControl }) };
    keys.start();
    await pass(seconds - 1);
    expect(asked).toBe(1);
    await pass(2);
    expect(asked).toBe(2);
  });

  test('that are unusable fill no log: the first are listed, with the beginnings of their ids', async () => {
    published = { keys: Array.from({ length: 5_000 }, (_, at) => ({ kid: `${'k'.repeat(1_000)}${at}`, kty: 'odd' })) };
    keys.start();
    await pass(0);
    const line = lines.find((one) => one.includes('token_keys.unusable')) ?? '';
    expect(JSON.parse(line)).toMatchObject({ total: 5_000 });
    expect(JSON.parse(line).keys).toHaveLength(20);
    expect(line).not.toContain('cut_bytes');
  });

  test('are replaced by the refresh: a key that is gone is not accepted any more', async () => {
    keys.start();
    await pass(0);
    published = { keys: [second.jwk], cacheControl: 'max-age=60' };
    await pass(60);
    expect(await has('second')).toBe(true);
    expect(await has('first')).toBe(false);
  });

  test('void the tokens of one that is gone, also those that were verified before and are remembered', async () => {
    const [secret] = parseJwtSecrets('[{"jwk_url": "http://issuer.test/jwks.json"}]') as readonly JwtSecret[];
    const authenticator = new JwtAuthenticator({ secrets: secret ? [{ secret, keys }] : [] });
    const headers = { authorization: `Bearer ${signToken({}, first)}` };
    const authenticate = async () => authenticator.authenticate(headers);
    keys.start();
    await pass(0);
    const { validity } = await authenticate();

    published = { keys: [second.jwk, first.jwk], cacheControl: 'max-age=60' };
    await pass(60);
    await authenticate();
    expect(authenticator.cacheCounts).toMatchObject({ hits: 1, misses: 1 });
    expect(validity?.refusal()).toBeUndefined();

    published = { keys: [second.jwk], cacheControl: 'max-age=60' };
    await pass(60);
    const refusal = { code: 'invalid-jwt', message: 'Could not verify JWT: JWSError NoUsableKeys' };
    await expect(authenticate()).rejects.toMatchObject(refusal);
    expect(validity?.refusal()).toMatchObject(refusal);
  });

  describe('where there is another issuer, whose tokens are not recognized by their issuer', () => {
    let another: RemoteKeySet;
    afterEach(() => another.stop());

    /** Of the two issuers, the one whose answers a test decides is the second. */
    function authenticatorBeside(fetchKeys: FetchKeys) {
      const log = createLogger('test', 'silent');
      another = new RemoteKeySet({ url: 'http://another.test/jwks.json', log, fetchKeys });
      another.start();
      keys.start();
      const secrets = parseJwtSecrets(
        '[{"jwk_url": "http://another.test/jwks.json"}, {"jwk_url": "http://issuer.test/jwks.json"}]',
      ) as readonly JwtSecret[];
      const sets = [another, keys];
      return new JwtAuthenticator({
        secrets: secrets.flatMap((secret, index) => sets.slice(index, index + 1).map((set) => ({ secret, keys: set }))),
      });
    }

    test('verify tokens at once while that one does not answer', async () => {
      const authenticator = authenticatorBeside(() => new Promise(() => {}));
      await pass(0);
      const { role } = await authenticator.authenticate({ authorization: `Bearer ${signToken({}, first)}` });

      expect(role).toBe('user');
    });

    test('say what is wrong with a token that they have signed, also while that one has no keys', async () => {
      const authenticator = authenticatorBeside(() => Promise.reject(new Error('connect ECONNREFUSED')));
      await pass(0);
      const expired = signToken({ payload: { exp: Math.floor(Date.now() / 1000) - 1 } }, first);

      await expect(
        (async () => authenticator.authenticate({ authorization: `Bearer ${expired}` }))(),
      ).rejects.toMatchObject({ status: 401, message: 'Could not verify JWT: JWTExpired' });
      const unknown = signToken({}, second);
      await expect(
        (async () => authenticator.authenticate({ authorization: `Bearer ${unknown}` }))(),
      ).rejects.toMatchObject({ status: 503 });
    });
  });

  test('are asked for when a token has an unknown id, once in five seconds however many come', async () => {
    keys.start();
    await pass(6);
    published = { keys: [first.jwk, second.jwk] };
    expect(await Promise.all([has('second'), has('second'), has('third')])).toEqual([true, true, false]);
    expect(asked).toBe(2);
    for (let i = 0; i < 100; i++) expect(await has(`made-up-${i}`)).toBe(false);
    expect(asked).toBe(2);
    await pass(5);
    expect(await has('made-up')).toBe(false);
    expect(asked).toBe(3);
  });

  test('are asked for when a token has an unknown id, also after the clock was set back', async () => {
    keys.start();
    await pass(6);
    ahead = -3_600_000;
    published = { keys: [second.jwk] };
    expect(await has('second')).toBe(true);
  });

  test('stay as they are while the issuer is down, and are asked for until it is back', async () => {
    keys.start();
    await pass(0);
    published = new Error('connect ECONNREFUSED');
    await pass(3_600);
    expect(await has('first')).toBe(true);
    expect(keys.ready).toBe(true);
    expect(lines.join('')).toContain('token_keys.refresh_failed');
    // Once a minute, and not at each attempt.
    const failures = lines.filter((line) => line.includes('token_keys.refresh_failed'));
    expect([failures.length > 50, failures.length <= 60]).toEqual([true, true]);
    published = { keys: [second.jwk] };
    await pass(11);
    expect(await has('second')).toBe(true);
    expect(lines.filter((line) => line.includes('token_keys.recovered'))).toHaveLength(1);
  });

  test('are stale from the second failure on, and not any more once they are there again', async () => {
    keys.start();
    await pass(0);
    expect(keys.isStale).toBe(false);
    published = new Error('connect ECONNREFUSED');
    await pass(60.1);
    expect(keys.isStale).toBe(false);
    await pass(1);
    expect(keys.isStale).toBe(true);
    published = { keys: [second.jwk] };
    await pass(11);
    expect(keys.isStale).toBe(false);
  });

  test.each<[string, unknown]>([
    ['no key', []],
    ['nothing that can verify a signature', [{ kty: 'oct', k: 'c2VjcmV0', kid: 'first' }]],
    ['no list', { first: first.jwk }],
    ['nothing', undefined],
  ])('stay as they are when the issuer publishes %s', async (_, unusable) => {
    keys.start();
    await pass(0);
    published = { keys: unusable };
    await pass(60);
    expect([await has('first'), asked > 1]).toEqual([true, true]);
  });

  test('are asked for with growing pauses, ten seconds at most, while there are none', async () => {
    published = new Error('connect ECONNREFUSED');
    keys.start();
    const times: number[] = [];
    for (let seconds = 0; seconds <= 60; seconds += 0.25) {
      await pass(seconds === 0 ? 0 : 0.25);
      if (asked > times.length) times.push(seconds);
    }
    expect(times.slice(0, 5)).toEqual([0, 0.25, 0.75, 1.75, 3.75]);
    const pauses = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    expect(Math.max(...pauses)).toBe(10);
    expect(keys.ready).toBe(false);
    published = { keys: [first.jwk] };
    await pass(10);
    expect(keys.ready).toBe(true);
  });

  test('are not asked for any more after the stop', async () => {
    keys.start();
    await pass(0);
    keys.stop();
    await pass(3_600);
    expect(asked).toBe(1);
  });
});
