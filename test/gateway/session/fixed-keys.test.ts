import { generateKeyPairSync, sign } from 'node:crypto';
import { afterAll, describe, expect, test } from '@jest/globals';
import { parseJwtSecret } from '../../../gateway/access/session/index.ts';
import { AUDIENCE, ISSUER, payloadOf, signParts } from '../harness/issuer.ts';
import { keeper } from '../harness/keep.ts';
import { makePairs, openTestAuthenticator, pemOf, tokenSignedWith } from './callers.ts';
import { selfSigned } from './certificate.ts';

const { keep, close } = keeper();
afterAll(close);
const pairs = makePairs();
const hmacs = { HS256: 'h'.repeat(32), HS384: 'h'.repeat(48), HS512: 'h'.repeat(64) };
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

async function judgeOf(secret: Record<string, unknown>) {
  return keep(openTestAuthenticator({ secrets: [{ issuer: ISSUER, audience: AUDIENCE, ...secret }] }));
}

const keys: [string, string, Parameters<typeof tokenSignedWith>[1]][] = [
  ...Object.entries(hmacs).map(([type, key]): (typeof keys)[number] => [type, key, key]),
  ...Object.entries(pairs).map(([type, pair]): (typeof keys)[number] => [type, pemOf(pair.publicKey), pair.privateKey]),
];

describe.each(keys)('with a fixed key for %s', (type, key, signingKey) => {
  test('a token that it has signed lets me in', async () => {
    const { session } = await judgeOf({ type, key });
    expect(await session(bearer(tokenSignedWith(type, signingKey)))).toMatchObject({
      role: 'user',
      variables: { 'x-hasura-user-id': '7', 'x-hasura-tenant-id': '1' },
    });
  });

  test('a changed token does not', async () => {
    const { refusal } = await judgeOf({ type, key });
    const [header, , signature] = tokenSignedWith(type, signingKey).split('.');
    const payload = Buffer.from(JSON.stringify(payloadOf({ role: 'admin', roles: ['admin'] }))).toString('base64url');
    expect(await refusal(bearer(`${header}.${payload}.${signature}`))).toEqual({
      status: 401,
      code: 'invalid-jwt',
      message: 'Could not verify JWT: JWSError JWSInvalidSignature',
    });
  });

  test.each([
    ['it has expired', { exp: 1 }, 'JWTExpired'],
    ['it is not valid yet', { nbf: 4_102_444_800 }, 'JWTNotYetValid'],
    ['it is for others', { aud: 'others' }, 'JWTNotInAudience'],
    ['it is for nobody', { aud: undefined }, 'JWTNotInAudience'],
    ['it is of another issuer', { iss: 'https://elsewhere.test' }, 'JWTNotInIssuer'],
    ['it is of no issuer', { iss: undefined }, 'JWTNotInIssuer'],
    ['it never expires', { exp: undefined }, 'exp is required and must be a number of seconds'],
  ])('a token is refused when %s', async (_, payload, reason) => {
    const { refusal } = await judgeOf({ type, key });
    const refused = await refusal(bearer(tokenSignedWith(type, signingKey, { payload })));
    expect(refused).toEqual({ status: 401, code: 'invalid-jwt', message: `Could not verify JWT: ${reason}` });
  });

  test('clocks may differ by the allowed skew, not by more', async () => {
    const { session, refusal } = await judgeOf({ type, key, allowed_skew: 60 });
    const now = Math.floor(Date.now() / 1000);
    const expired = (ago: number) => bearer(tokenSignedWith(type, signingKey, { payload: { exp: now - ago } }));
    expect(await session(expired(30))).toMatchObject({ role: 'user' });
    expect(await refusal(expired(61))).toMatchObject({ message: 'Could not verify JWT: JWTExpired' });
  });

  test('times may have fractions of seconds', async () => {
    const { session, refusal } = await judgeOf({ type, key });
    const now = Math.floor(Date.now() / 1000);
    const timed = (payload: Record<string, unknown>) => bearer(tokenSignedWith(type, signingKey, { payload }));
    const times = { iat: now - 0.5, nbf: now - 0.25, exp: now + 3599.75 };
    expect(await session(timed(times))).toMatchObject({ role: 'user' });
    // Valid from now on, and not from the next whole second on.
    expect(await session(timed({ nbf: Date.now() / 1000 }))).toMatchObject({ role: 'user' });
    expect(await refusal(timed({ ...times, exp: now - 0.5 }))).toMatchObject({
      message: 'Could not verify JWT: JWTExpired',
    });
  });

  test('any audience of a list will do, and a token may have several', async () => {
    const { session } = await judgeOf({ type, key, audience: ['shop', 'portico'] });
    const payload = { aud: ['elsewhere', 'shop'] };
    expect(await session(bearer(tokenSignedWith(type, signingKey, { payload })))).toMatchObject({ role: 'user' });
  });

  test('a token that names another algorithm finds no key', async () => {
    const { refusal } = await judgeOf({ type, key });
    const alg = type === 'ES256' ? 'ES384' : 'ES256';
    expect(await refusal(bearer(tokenSignedWith(type, signingKey, { header: { alg } })))).toMatchObject({
      message: 'Could not verify JWT: JWSError NoUsableKeys',
    });
  });
});

describe('an Ed25519 token', () => {
  const { publicKey, privateKey } = pairs.Ed25519;
  const secret = { type: 'Ed25519', key: pemOf(publicKey) };

  test('may call its algorithm EdDSA too', async () => {
    const { session } = await judgeOf(secret);
    const token = tokenSignedWith('Ed25519', privateKey, { header: { alg: 'EdDSA' } });
    expect(await session(bearer(token))).toMatchObject({ role: 'user' });
  });

  test.each([
    ['with padding', (token: string) => `${token}==`],
    // The last of its 86 characters holds 2 bits only: the next letter means the same bytes.
    [
      'in another spelling',
      (token: string) => token.slice(0, -1) + String.fromCharCode(token.charCodeAt(token.length - 1) + 1),
    ],
    ['that is cut short', (token: string) => token.slice(0, -4)],
    ['that is empty', (token: string) => token.replace(/[^.]*$/, '')],
    ['of zeros', (token: string) => token.replace(/[^.]*$/, Buffer.alloc(64).toString('base64url'))],
  ])('is refused with a signature %s', async (_, change) => {
    const { refusal } = await judgeOf(secret);
    const refused = await refusal(bearer(change(tokenSignedWith('Ed25519', privateKey))));
    expect(refused).toMatchObject({ status: 401, message: expect.stringContaining('JWSInvalidSignature') });
  });

  test.each(['"text"', '[]', 'null', '{'])('is refused with the payload %s', async (payload) => {
    const { refusal } = await judgeOf(secret);
    const input = `${Buffer.from('{"alg":"EdDSA"}').toString('base64url')}.${Buffer.from(payload).toString('base64url')}`;
    const token = `${input}.${sign(null, Buffer.from(input), privateKey).toString('base64url')}`;
    expect(await refusal(bearer(token))).toMatchObject({
      status: 401,
      message: 'Could not verify JWT: the payload is not a JSON object',
    });
  });
});

describe('a public key may be given', () => {
  test('as PKCS #1', async () => {
    const { session } = await judgeOf({ type: 'RS256', key: pemOf(pairs.RS256.publicKey, 'pkcs1') });
    expect(await session(bearer(tokenSignedWith('RS256', pairs.RS256.privateKey)))).toMatchObject({ role: 'user' });
  });

  test.each(['RS512', 'PS256', 'ES256', 'Ed25519'] as const)('as an X.509 certificate, for %s', async (type) => {
    const { session } = await judgeOf({ type, key: selfSigned(pairs[type]) });
    expect(await session(bearer(tokenSignedWith(type, pairs[type].privateKey)))).toMatchObject({ role: 'user' });
  });
});

describe('a secret is refused, without a word of it, when', () => {
  const weak = generateKeyPairSync('rsa', { modulusLength: 1024 });
  const privatePem = pairs.ES256.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  test.each([
    ['its HMAC key is short', { type: 'HS512', key: 'k'.repeat(63) }, /^key: Key size too small; should be atleast 64/],
    ['its RSA key is weak', { type: 'RS256', key: pemOf(weak.publicKey) }, /^key: expected rsa of at least 2048 bits/],
    ['its key is private', { type: 'ES256', key: privatePem }, /^key: expected a public key, not a private one$/],
    ['its key is no PEM', { type: 'RS256', key: 'k'.repeat(64) }, /^key: expected a PEM public key or certificate$/],
    ['its key is of another kind', { type: 'RS256', key: pemOf(pairs.ES256.publicKey) }, /^key: expected rsa/],
    ['its key is of another curve', { type: 'ES256', key: pemOf(pairs.ES384.publicKey) }, /^key: expected ec/],
    ['its type is unknown', { type: 'none', key: 'k'.repeat(64) }, /^type: /],
    ['its key has no type', { key: 'k'.repeat(64) }, /^type is required with key$/],
    ['it has neither key nor jwk_url', { issuer: ISSUER }, /^key and jwk_url both cannot be empty$/],
    [
      'it has both',
      { type: 'HS256', key: 'k'.repeat(64), jwk_url: 'http://k.test' },
      /^key, jwk_url both cannot be present$/,
    ],
    ['its jwk_url is no URL', { jwk_url: 'k'.repeat(40) }, /^jwk_url: /],
    ['its jwk_url is a file', { jwk_url: 'file:///etc/keys.json' }, /^jwk_url: /],
    ['it has an unknown member', { type: 'HS256', key: 'k'.repeat(64), audiance: 'a' }, /audiance/],
    ['its skew is negative', { type: 'HS256', key: 'k'.repeat(64), allowed_skew: -1 }, /^allowed_skew: /],
  ])('%s', (_, secret: Record<string, unknown>, problem) => {
    const parsed = parseJwtSecret(JSON.stringify(secret));
    const text = 'problem' in parsed ? parsed.problem : 'it was taken';
    expect(text).toMatch(problem);
    expect(text).not.toContain('kkkk');
    expect(text).not.toContain('BEGIN');
  });

  test('it is no JSON object', () => {
    for (const text of ['', '{', '[]', 'null', '"secret"'])
      expect(parseJwtSecret(text)).toEqual({
        problem: 'expected a JSON object such as {"type":"HS256","key":"…"} or {"jwk_url":"https://…"}',
      });
  });

  test.each([
    [
      '{"jwk_uri":"https://k.test"}',
      'unknown key "jwk_uri": did you mean "jwk_url"?; key and jwk_url both cannot be empty',
    ],
    ['{"jwk_url":"https://k.test","header":{"typ":"Cookie"}}', 'header: unknown key "typ": did you mean "type"?'],
    ['{"jwk_url":"k.test/keys"}', 'jwk_url: expected an http or https URL'],
  ])('a misspelt member or an address without a scheme names the remedy: %s', (text, problem) => {
    expect(parseJwtSecret(text)).toEqual({ problem: expect.stringContaining(problem) });
  });

  test('two settings are invalid, and both are reported', () => {
    const parsed = parseJwtSecret('{"type":"HS256","key":"short","jwk_url":"http://k.test"}');
    expect(parsed).toEqual({
      problem: 'key, jwk_url both cannot be present; key: Key size too small; should be atleast 32 characters',
    });
  });
});

test('a member of a secret that is null counts as one that is not there', async () => {
  const { session } = await judgeOf({ type: 'HS256', key: hmacs.HS256, jwk_url: null, header: null, claims_map: null });
  expect(await session(bearer(tokenSignedWith('HS256', hmacs.HS256)))).toMatchObject({ role: 'user' });
});

test('a token signed with the public key as an HMAC secret does not get in', async () => {
  const { refusal } = await judgeOf({ type: 'ES256', key: pemOf(pairs.ES256.publicKey) });
  const token = tokenSignedWith('HS256', pemOf(pairs.ES256.publicKey));
  expect(await refusal(bearer(token))).toMatchObject({ message: 'Could not verify JWT: JWSError NoUsableKeys' });
  const disguised = signParts(
    { alg: 'ES256' },
    payloadOf(),
    generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
  );
  expect(await refusal(bearer(disguised))).toMatchObject({
    message: 'Could not verify JWT: JWSError JWSInvalidSignature',
  });
});
