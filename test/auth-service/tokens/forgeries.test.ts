import { describe, expect, test } from '@jest/globals';
import { createAccessTokenVerifier, KEY_ALGORITHMS } from '../../../auth-service/tokens/index.ts';
import { forgeries } from '../../jws/forgeries.ts';
import { makeJwsKey, signed } from '../../jws/keys.ts';

const NOW = new Date();
const SECONDS = Math.floor(NOW.getTime() / 1000);
const PAYLOAD = {
  iss: 'https://issuer.test',
  aud: 'portico',
  sub: 'be5f0b9e-3c4e-4bb4-9b0e-4a3d7a1c2f00',
  sid: '3f1c9a52-6d0e-4c63-8a55-0d5d5a2b7c11',
  tenant_id: 1,
  client_id: 'portico',
  jti: 'token-1',
  iat: SECONDS,
  exp: SECONDS + 900,
};

describe.each(KEY_ALGORITHMS)('of %s tokens the auth service', (algorithm) => {
  const key = makeJwsKey(algorithm);
  const header = { alg: algorithm, typ: 'at+jwt', kid: 'key-1' };
  const jwk = { ...key.publicKey.export({ format: 'jwk' }), kid: 'key-1', alg: algorithm };
  const verify = createAccessTokenVerifier({
    keys: { publicKeySet: () => ({ keys: [jwk] }), knows: async (kid) => kid === 'key-1' },
    issuer: PAYLOAD.iss,
    audience: PAYLOAD.aud,
  });

  test('takes one that is right', async () => {
    expect(await verify(signed(header, PAYLOAD, key), NOW)).toMatchObject({ tenantId: 1, subject: PAYLOAD.sub });
  });

  test.each(forgeries(header, PAYLOAD, key))('refuses one with %s', async (_what, token) => {
    expect(await verify(token, NOW)).toBeUndefined();
  });

  test.each<[what: string, changes: { header?: object; payload?: object }]>([
    ['another issuer', { payload: { iss: 'https://elsewhere.test' } }],
    ['no issuer', { payload: { iss: undefined } }],
    ['another audience', { payload: { aud: 'elsewhere' } }],
    ['no audience', { payload: { aud: undefined } }],
    ['an end in the past', { payload: { exp: SECONDS } }],
    ['no end', { payload: { exp: undefined } }],
    ['a beginning', { payload: { nbf: SECONDS } }],
    ['another type', { header: { typ: 'JWT' } }],
    ['no type', { header: { typ: undefined } }],
    ['no key', { header: { kid: undefined } }],
    ['a critical extension', { header: { crit: ['exp'] } }],
  ])('refuses one with %s, though the signature is right', async (_what, changes) => {
    const token = signed({ ...header, ...changes.header }, { ...PAYLOAD, ...changes.payload }, key);
    expect(await verify(token, NOW)).toBeUndefined();
  });
});
