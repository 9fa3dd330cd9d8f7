import { afterAll, describe, expect, test } from '@jest/globals';
import {
  bearer,
  keeper,
  makeKey,
  openGateway,
  openIssuer,
  ordersUpstream,
  type SigningKey,
  signToken,
  until,
} from '../harness/index.ts';

const { keep, close } = keeper();
afterAll(close);
const orders = await keep(ordersUpstream());
const metadata = {
  'remote_schemas.yaml': [{ name: 'orders', definition: { url: orders.graphqlUrl } }],
  'services.yaml': [{ name: 'files', path: '/files', url: orders.url }],
};

describe('the issuer of the tokens', () => {
  test('may be down when the gateway starts: callers are rejected, and the gateway is ready once it is up', async () => {
    const issuer = await keep(openIssuer());
    await issuer.server.stop();
    const gateway = await keep(openGateway({ issuer, metadata, waitUntilReady: false }));
    const token = issuer.token();
    const refused = await gateway.graphql('{ orders { id } }', { token });
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '1']);
    expect(refused.body.errors).toMatchObject([{ extensions: { code: 'service-unavailable' } }]);
    expect((await gateway.send('/files/x', { headers: bearer(token) })).status).toBe(503);
    expect((await gateway.graphql('{ orders { id } }')).status).toBe(401);
    expect(await gateway.send('/readyz')).toMatchObject({ status: 503, body: { token_keys: 'missing' } });
    expect(orders.operations()).toHaveLength(0);

    await issuer.server.start();
    await gateway.ready();
    expect((await gateway.graphql('{ orders { id } }', { token })).status).toBe(200);
  });

  test('may go down later: its tokens stay good', async () => {
    const issuer = await keep(openIssuer());
    const gateway = await keep(openGateway({ issuer, metadata }));
    await issuer.server.stop();
    expect((await gateway.graphql('{ orders { id } }', { token: issuer.token() })).status).toBe(200);
    const unknown = await gateway.graphql('{ orders { id } }', { token: issuer.token({ header: { kid: 'other' } }) });
    expect(unknown.status).toBe(401);
    expect((await gateway.send('/readyz')).status).toBe(200);
  });

  test('may take a new key into use: its tokens are good at once', async () => {
    const issuer = await keep(openIssuer());
    const gateway = await keep(openGateway({ issuer, metadata }));
    const next = makeKey('key-2');
    issuer.published.keys = [issuer.key.jwk, next.jwk];
    // The set was fetched just now, and an unknown id makes it be fetched again only after a while.
    await until('the new key is known', async () => {
      const { status } = await gateway.graphql('{ orders { id } }', { token: signToken({}, next) });
      return status === 200;
    });
    expect((await gateway.graphql('{ orders { id } }', { token: issuer.token() })).status).toBe(200);
    expect(issuer.server.requests).toHaveLength(2);
  });

  test.each<[string, (key: SigningKey) => Record<string, unknown>]>([
    ['for encryption', () => ({ use: 'enc' })],
    ['for encryption, and for verifying', () => ({ use: 'enc', key_ops: ['verify'] })],
    ['for a use in other letters', () => ({ use: 'SIG' })],
    ['for uses in a list', () => ({ use: ['sig'] })],
    ['for signing only', () => ({ key_ops: ['sign'] })],
    ['for deriving others, whatever its use', () => ({ use: 'sig', key_ops: ['deriveKey', 'deriveBits'] })],
    ['for nothing', () => ({ key_ops: [] })],
    ['for verifying, not said in a list', () => ({ key_ops: 'verify' })],
    ['for operations that are null', () => ({ key_ops: null })],
    ['of another algorithm', () => ({ alg: 'ES384' })],
    ['of an algorithm for encryption', () => ({ alg: 'ECDH-ES' })],
    ['of an algorithm that is null', () => ({ alg: null })],
    ['that is symmetric', () => ({ kty: 'oct', k: Buffer.alloc(32).toString('base64url') })],
    ['that is broken', () => ({ x: 'AAAA' })],
    ['that is private', ({ privateKey }) => ({ ...privateKey.export({ format: 'jwk' }) })],
    ['with an id that is a number', () => ({ kid: 7 })],
  ])('may publish a key %s beside a good one: it verifies nothing and does no harm', async (_, changes) => {
    const issuer = await keep(openIssuer());
    const other = makeKey('other');
    issuer.published.keys = [null, 'text', { ...other.jwk, ...changes(other) }, issuer.key.jwk];
    const gateway = await keep(openGateway({ issuer, metadata }));
    expect((await gateway.graphql('{ orders { id } }', { token: issuer.token() })).status).toBe(200);
    for (const kid of ['other', '', '7', undefined]) {
      const token = signToken({ header: { kid } }, other);
      expect((await gateway.graphql('{ orders { id } }', { token })).status).toBe(401);
    }
    await until('it is logged', () => gateway.logs().includes('token_keys.unusable'));
    const { x, d } = other.privateKey.export({ format: 'jwk' });
    for (const secret of [x, d]) expect(gateway.logs()).not.toContain(secret);
  });

  test.each([
    ['says nothing of', { use: undefined, key_ops: undefined, alg: undefined }],
    ['is for, by its operations,', { use: undefined, key_ops: ['verify'] }],
    ['is for, among other operations,', { key_ops: ['encrypt', 'verify'] }],
  ])('may publish a key that %s verifying: it verifies', async (_, changes) => {
    const issuer = await keep(openIssuer());
    issuer.published.keys = [{ ...issuer.key.jwk, ...changes }];
    const gateway = await keep(openGateway({ issuer, metadata }));
    expect((await gateway.graphql('{ orders { id } }', { token: issuer.token() })).status).toBe(200);
    expect(gateway.logs()).not.toContain('token_keys.unusable');
  });

  test('may give several keys one id: each verifies, up to four', async () => {
    const issuer = await keep(openIssuer());
    const others = Array.from({ length: 4 }, () => makeKey(issuer.key.kid));
    const unusable = { ...makeKey(issuer.key.kid).jwk, use: 'enc' };
    issuer.published.keys = [unusable, issuer.key.jwk, issuer.key.jwk, ...others.map(({ jwk }) => jwk)];
    const gateway = await keep(openGateway({ issuer, metadata }));
    const statuses: number[] = [];
    for (const key of [issuer.key, ...others, makeKey(issuer.key.kid)])
      statuses.push((await gateway.graphql('{ orders { id } }', { token: signToken({}, key) })).status);
    expect(statuses).toEqual([200, 200, 200, 200, 401, 401]);
    const expired = signToken({ payload: { exp: 1 } }, others[0] ?? issuer.key);
    const { body } = await gateway.graphql('{ orders { id } }', { token: expired });
    expect(body.errors?.[0]?.message).toBe('Could not verify JWT: JWTExpired');
  });

  test('may leave the id out while it has one key', async () => {
    const issuer = await keep(openIssuer());
    const gateway = await keep(openGateway({ issuer, metadata }));
    const token = issuer.token({ header: { kid: undefined } });
    expect((await gateway.graphql('{ orders { id } }', { token })).status).toBe(200);
  });

  test('may not leave the id out while it has two', async () => {
    const issuer = await keep(openIssuer());
    issuer.published.keys.push(makeKey('key-2').jwk);
    const gateway = await keep(openGateway({ issuer, metadata }));
    const token = issuer.token({ header: { kid: undefined } });
    expect((await gateway.graphql('{ orders { id } }', { token })).status).toBe(401);
  });
});

describe('a token that was good', () => {
  test('is refused from the moment that it expires', async () => {
    const issuer = await keep(openIssuer());
    const gateway = await keep(openGateway({ issuer, metadata }));
    const token = issuer.token({ payload: { exp: Math.floor(Date.now() / 1000) + 2 } });
    expect((await gateway.graphql('{ orders { id } }', { token })).status).toBe(200);
    const refused = await until('it expires', async () => {
      const answer = await gateway.graphql('{ orders { id } }', { token });
      return answer.status === 401 && answer;
    });
    expect(refused.body.errors?.[0]?.message).toBe('Could not verify JWT: JWTExpired');
    expect((await gateway.send('/files/x', { headers: bearer(token) })).status).toBe(401);
  });
});
