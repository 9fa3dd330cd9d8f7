import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import jwt from 'jsonwebtoken';
import { createSealer } from '../../auth-service/tokens/index.ts';
import { availableEngines } from '../database/index.ts';
import { KEY_ENCRYPTION_KEY } from './service.ts';
import { claimsOf, type SessionClient, sessionClient } from './session-client.ts';
import { createWorld, type World } from './world.ts';

const PASSWORD = 'a password of alice that is long';

describe.each(await availableEngines())('asking who I am, on %s', (engine) => {
  let world: World;
  let client: SessionClient;
  let clock = Date.now();
  let aliceId: string;
  let token: string;
  let signer: { kid: string; privateKey: KeyObject };

  beforeAll(async () => {
    world = await createWorld(engine, {}, { now: () => new Date(clock) });
    client = sessionClient(world.service.url);
    await world.addTenant(1, 'acme');
    await world.addTenant(2, 'globex');
    aliceId = await world.addUser(1, 'alice', PASSWORD, { allowedRoles: ['user', 'manager'] });
    await world.addUser(2, 'alice', PASSWORD);
    token = (await client.login('alice', PASSWORD, 1)).access_token;
    const { kid, sealedPrivateKey } = await world.database.signingKey.findFirstOrThrow();
    const bytes = createSealer(Buffer.from(KEY_ENCRYPTION_KEY, 'base64')).open(sealedPrivateKey, kid) ?? Buffer.of();
    signer = { kid, privateKey: createPrivateKey({ key: Buffer.from(bytes), format: 'der', type: 'pkcs8' }) };
  });
  afterAll(() => world.close());

  const encode = (part: unknown) =>
    Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url');

  /** A token that the service itself could have signed, with changes. Undefined takes a claim or header out. */
  function forged(
    { header = {}, claims = {} }: { header?: Record<string, unknown>; claims?: Record<string, unknown> | string },
    key: KeyObject = signer.privateKey,
  ): string {
    const { kid } = signer;
    const payload = typeof claims === 'string' ? claims : { ...claimsOf(token), ...claims };
    const input = `${encode({ alg: 'ES256', typ: 'at+jwt', kid, ...header })}.${encode(payload)}`;
    return `${input}.${sign('sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
  }

  test('the account of the session of my token', async () => {
    expect(await client.me(token)).toMatchObject({
      status: undefined,
      result: {
        user_id: aliceId,
        username: 'alice',
        tenant_id: 1,
        tenant_name: 'acme',
        default_role: 'user',
        allowed_roles: ['user', 'manager'],
      },
    });
    expect((await client.me(forged({}))).result).toMatchObject({ user_id: aliceId });
  });

  const other = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const publicPem = () => createPublicKey(signer.privateKey).export({ format: 'pem', type: 'spki' });
  const now = () => Math.floor(clock / 1000);

  test.each<[string, () => string]>([
    ['none', () => ''],
    ['no token at all', () => 'x'],
    ['one that was changed', () => token.replace(/\.[^.]+\./, `.${encode({ ...claimsOf(token), tenant_id: 2 })}.`)],
    ['a signature of another key', () => forged({}, other.privateKey)],
    ['an unknown key', () => forged({ header: { kid: 'x' } })],
    ['a key that is a path', () => forged({ header: { kid: '../../dev/null' } })],
    ['a key named __proto__', () => forged({ header: { kid: '__proto__' } })],
    ['a key that is an object', () => forged({ header: { kid: {} } })],
    [
      'its own key in the header',
      () => forged({ header: { kid: undefined, jwk: other.publicKey.export({ format: 'jwk' }) } }, other.privateKey),
    ],
    ['an address of keys in the header', () => forged({ header: { jku: 'http://127.0.0.1:1/' } }, other.privateKey)],
    ['no algorithm', () => `${forged({ header: { alg: 'none' } }).replace(/[^.]+$/, '')}`],
    ['the algorithm none, signed all the same', () => forged({ header: { alg: 'nOnE' } })],
    [
      'the public key as a secret',
      () =>
        jwt.sign(claimsOf(token), publicPem(), {
          algorithm: 'HS256',
          header: { alg: 'HS256', typ: 'at+jwt', kid: signer.kid },
          allowInvalidAsymmetricKeyTypes: true,
        }),
    ],
    ['another algorithm than its key has', () => forged({ header: { alg: 'RS256' } })],
    ['a signature of zeros', () => token.replace(/[^.]+$/, Buffer.alloc(64).toString('base64url'))],
    ['half a signature', () => token.slice(0, -40)],
    ['padding after the signature', () => `${token}==`],
    ['a line break after the signature', () => `${token}%0a`],
    ['a critical extension', () => forged({ header: { crit: ['x'], x: 1 } })],
    ['an unencoded payload', () => forged({ header: { b64: false } })],
    ['another type', () => forged({ header: { typ: 'JWT' } })],
    ['no type', () => forged({ header: { typ: undefined } })],
    ['another issuer', () => forged({ claims: { iss: 'https://elsewhere.example' } })],
    ['another audience', () => forged({ claims: { aud: 'portico2' } })],
    ['no end', () => forged({ claims: { exp: undefined } })],
    ['an end that is a text', () => forged({ claims: { exp: '9999999999' } })],
    ['an end that is null', () => forged({ claims: { exp: null } })],
    ['an endless end', () => forged({ claims: JSON.stringify(claimsOf(token)).replace(/"exp":\d+/, '"exp":1e400') })],
    ['an end in the past', () => forged({ claims: { exp: now() } })],
    ['no session', () => forged({ claims: { sid: undefined } })],
    ['a session that is none', () => forged({ claims: { sid: "' OR 1=1" } })],
    ['an unknown session', () => forged({ claims: { sid: randomUUID() } })],
    ['no tenant', () => forged({ claims: { tenant_id: undefined } })],
    ['a tenant that is a text', () => forged({ claims: { tenant_id: '1' } })],
    ['another tenant', () => forged({ claims: { tenant_id: 2 } })],
    ['a tenant over 32 bits', () => forged({ claims: { tenant_id: 4_294_967_297 } })],
    ['another user', () => forged({ claims: { sub: randomUUID() } })],
    ['no id', () => forged({ claims: { jti: undefined } })],
    ['a payload that is a list', () => forged({ claims: '[]' })],
    ['a payload that is no JSON', () => forged({ claims: 'foo' })],
    ['ten thousand characters', () => forged({ claims: { more: 'x'.repeat(10_000) } })],
  ])('a token with %s identifies no user', async (_what, make) => {
    expect(await client.me(make())).toMatchObject({ result: null, code: 'invalid-jwt', status: 401 });
  });

  test('a token is no good once it has ended', async () => {
    clock += 900_000;
    expect((await client.me(token)).result).toBeNull();
    clock -= 900_000;
    expect((await client.me(token)).result).not.toBeNull();
  });

  test('a token is no good while its user or tenant is disabled', async () => {
    const where = { tenantId_id: { tenantId: 1, id: aliceId } };
    await world.database.user.update({ where, data: { disabledAt: new Date() } });
    expect((await client.me(token)).result).toBeNull();
    await world.database.user.update({ where, data: { disabledAt: null } });
    await world.database.tenant.update({ where: { id: 1 }, data: { disabledAt: new Date() } });
    expect((await client.me(token)).result).toBeNull();
    await world.database.tenant.update({ where: { id: 1 }, data: { disabledAt: null } });
    expect((await client.me(token)).result).not.toBeNull();
  });
});
