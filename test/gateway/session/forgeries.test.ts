import { describe, expect, test } from '@jest/globals';
import { parseJwtSecret } from '../../../gateway/access/session/index.ts';
import { findKeys, fixedKeySet, type KeySet, readKeySet } from '../../../gateway/access/session/jwt/key-set.ts';
import { verifyToken } from '../../../gateway/access/session/jwt/verify-token.ts';
import { forgeries } from '../../jws/forgeries.ts';
import { type JwsAlgorithm, type JwsKey, makeJwsKey, signed } from '../../jws/keys.ts';

const SECONDS = Math.floor(Date.now() / 1000);
const PAYLOAD = { iss: 'https://issuer.test', aud: 'portico', sub: '7', iat: SECONDS, exp: SECONDS + 900 };
const EXPECTED = { issuer: PAYLOAD.iss, audience: PAYLOAD.aud };

/** What the gateway is configured with, and where it looks keys up then. */
function secretOf({ algorithm, privateKey, publicKey }: JwsKey, places: 'fixed' | 'jwks') {
  const text =
    algorithm === 'HS256'
      ? { key: privateKey.export().toString('utf8'), type: 'HS256' }
      : {
          key: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
          type: algorithm === 'EdDSA' ? 'Ed25519' : algorithm,
        };
  const secret = parseJwtSecret(JSON.stringify({ ...text, ...EXPECTED }));
  if ('problem' in secret) throw new Error(secret.problem);
  if (places === 'fixed') {
    if ('jwkUrl' in secret.source) throw new Error('expected a fixed key');
    return { secret, keys: fixedKeySet(secret.source) };
  }
  const { keys: published } = readKeySet({
    keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'key-1', alg: algorithm, use: 'sig' }],
  });
  const keys: KeySet = {
    ready: true,
    isStale: false,
    holds: () => true,
    find: (kid, name) => findKeys(published, kid, name),
  };
  return { secret, keys };
}

describe.each<[JwsAlgorithm, 'fixed' | 'jwks']>([
  ['ES256', 'jwks'],
  ['RS256', 'jwks'],
  ['EdDSA', 'jwks'],
  ['ES256', 'fixed'],
  ['RS256', 'fixed'],
  ['EdDSA', 'fixed'],
  ['HS256', 'fixed'],
])('of %s tokens, by a key that is %s, the gateway', (algorithm, place) => {
  const key = makeJwsKey(algorithm);
  const header = { alg: algorithm, typ: 'at+jwt', kid: 'key-1' };
  const { secret, keys } = secretOf(key, place);
  const verify = async (token: string) => verifyToken(token, secret, keys, SECONDS);

  test('takes one that is right', async () => {
    expect((await verify(signed(header, PAYLOAD, key))).payload).toMatchObject(PAYLOAD);
  });

  test.each(forgeries(header, PAYLOAD, key))('refuses one with %s', async (_what, token) => {
    await expect(verify(token)).rejects.toMatchObject({ code: 'invalid-jwt' });
  });
});
