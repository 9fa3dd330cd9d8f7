import { afterAll, describe, expect, test } from '@jest/globals';
import { refreshAfterMs } from '../../../gateway/access/session/jwt/refresh-interval.ts';
import { type Issuer, openIssuer } from '../harness/issuer.ts';
import { keeper, until } from '../harness/keep.ts';
import { reply, serve } from '../harness/serve.ts';
import { makePairs, openTestAuthenticator, tokenSignedWith } from './callers.ts';

const { keep, close } = keeper();
afterAll(close);
const NOW = Date.parse('2026-01-01T00:00:00Z');
const MINUTE = 60_000;

describe('a key set is fetched again', () => {
  test.each([
    ['after five minutes when nothing is said', undefined, undefined, 5 * MINUTE],
    ['after its max-age', 'public, max-age=600', undefined, 10 * MINUTE],
    ['after its s-maxage', 's-maxage="120"', undefined, 2 * MINUTE],
    ['after its max-age, must-revalidate or not', 'max-age=600, must-revalidate', undefined, 10 * MINUTE],
    ['after five seconds at least', 'max-age=1', undefined, 5_000],
    ['after a day at most', 'max-age=31536000', undefined, 24 * 60 * MINUTE],
    ['after a minute for no-cache', 'no-cache', undefined, MINUTE],
    ['after a minute for no-store, whatever its max-age', 'max-age=600, No-Store', undefined, MINUTE],
    ['after a minute for no-cache with a field', 'no-cache="set-cookie", max-age=600', undefined, MINUTE],
    ['after a minute for must-revalidate alone', 'must-revalidate', undefined, MINUTE],
    ['when it expires', undefined, 'Thu, 01 Jan 2026 00:20:00 GMT', 20 * MINUTE],
    ['by Cache-Control before Expires', 'max-age=600', 'Thu, 01 Jan 2026 00:20:00 GMT', 10 * MINUTE],
    ['when it expires, if Cache-Control says nothing of age', 'public', 'Thu, 01 Jan 2026 00:20:00 GMT', 20 * MINUTE],
    ['after a minute when it has expired', undefined, 'Wed, 31 Dec 2025 00:00:00 GMT', MINUTE],
    ['after a minute when its expiry is no date', undefined, '0', MINUTE],
    ['after five minutes when its max-age is no number', 'max-age=soon', undefined, 5 * MINUTE],
  ])('%s', (_, cacheControl, expires, expected) => {
    expect(refreshAfterMs({ cacheControl, expires }, NOW)).toBe(expected);
  });
});

function judgeOf(...issuers: { jwksUrl: string }[]) {
  return keep(openTestAuthenticator({ secrets: issuers.map(({ jwksUrl }) => ({ jwk_url: jwksUrl })) }));
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

test('keys of every kind are read from a key set, and what cannot verify is passed over', async () => {
  const pairs = makePairs();
  const keys = Object.entries(pairs).map(([alg, { publicKey }]) => ({
    ...publicKey.export({ format: 'jwk' }),
    kid: alg,
    alg: alg === 'Ed25519' ? 'EdDSA' : alg,
    use: 'sig',
  }));
  const others = [{ kty: 'oct', k: 'AAAA', kid: 'HS256' }, { ...keys[0], kid: 'enc', use: 'enc' }, null, 'key', {}];
  const server = await keep(serve((_, response) => reply(response, 200, { keys: [...others, ...keys] })));
  const { session, refusal, authenticator } = await judgeOf({ jwksUrl: server.url });
  await until('the keys are there', () => authenticator.ready);
  for (const [kid, { privateKey }] of Object.entries(pairs))
    expect(await session(bearer(tokenSignedWith(kid, privateKey, { header: { kid } })))).toMatchObject({
      role: 'user',
    });
  const encrypting = tokenSignedWith('RS256', pairs.RS256.privateKey, { header: { kid: 'enc' } });
  expect(await refusal(bearer(encrypting))).toMatchObject({ message: 'Could not verify JWT: JWSError NoUsableKeys' });
});

test('a key is pinned to the algorithm that its issuer names', async () => {
  const { RS256: pair } = makePairs();
  const jwk = { ...pair.publicKey.export({ format: 'jwk' }), kid: 'k', alg: 'RS256' };
  const server = await keep(serve((_, response) => reply(response, 200, { keys: [jwk] })));
  const { session, refusal } = await judgeOf({ jwksUrl: server.url });
  const signed = (algorithm: string) => bearer(tokenSignedWith(algorithm, pair.privateKey, { header: { kid: 'k' } }));
  expect(await session(signed('RS256'))).toMatchObject({ role: 'user' });
  for (const algorithm of ['RS384', 'PS256'])
    expect(await refusal(signed(algorithm))).toMatchObject({ message: 'Could not verify JWT: JWSError NoUsableKeys' });
});

test('one issuer that is down keeps only its own callers waiting', async () => {
  const up = await keep(openIssuer());
  const down: Issuer = await keep(openIssuer());
  await down.server.stop();
  const { authenticator, session, refusal } = await keep(
    openTestAuthenticator({
      secrets: [
        { jwk_url: up.jwksUrl, issuer: 'https://up.test' },
        { jwk_url: down.jwksUrl, issuer: 'https://down.test' },
      ],
    }),
  );
  await until('the keys of one are there', () => authenticator.ready);
  const token = (of: Issuer, iss: string) => bearer(of.token({ payload: { iss } }));
  expect(await session(token(up, 'https://up.test'))).toMatchObject({ role: 'user' });
  expect(await refusal(token(down, 'https://down.test'))).toMatchObject({ status: 503, code: 'service-unavailable' });
  await down.server.start();
  const late = await until('the other one is back', () =>
    session(token(down, 'https://down.test')).catch(() => undefined),
  );
  expect(late).toMatchObject({ role: 'user' });
});
