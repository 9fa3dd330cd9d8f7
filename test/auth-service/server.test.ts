import { createPublicKey, type JsonWebKey } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createTestDatabase } from '../database/index.ts';
import { send } from '../gateway/harness/send.ts';
import { LOGIN, REVOCATION_SECRET, startTestService } from './service.ts';
import { createWorld, type World } from './world.ts';

describe('the HTTP side of the auth service', () => {
  let world: World;
  const request = (path: string, init?: RequestInit) => fetch(world.service.url + path, init);

  beforeAll(async () => {
    world = await createWorld('pglite', { AUTH_LOG_LEVEL: 'debug' });
    await world.addTenant(1, 'acme');
  });
  afterAll(() => world.close());

  test('/healthz says that the process is alive', async () => {
    const response = await request('/healthz');

    expect([response.status, await response.text()]).toEqual([200, 'OK']);
  });

  test('/readyz lists what it checked', async () => {
    const response = await request('/readyz');

    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      ready: true,
      checks: { migrations: 'ok', signing_keys: 'ok', database: 'ok' },
    });
  });

  test('the public keys may be kept for five minutes and hold nothing private', async () => {
    const response = await request('/.well-known/jwks.json');
    const { keys } = (await response.json()) as { keys: JsonWebKey[] };

    expect(response.headers.get('cache-control')).toBe('public, max-age=300');
    expect(keys).toEqual([
      {
        kty: 'EC',
        crv: 'P-256',
        x: expect.any(String),
        y: expect.any(String),
        kid: expect.any(String),
        alg: 'ES256',
        use: 'sig',
      },
    ]);
    expect(() => createPublicKey({ key: keys[0] ?? {}, format: 'jwk' })).not.toThrow();
  });

  test('a request id of the caller is echoed and logged', async () => {
    const response = await request('/healthz', { headers: { 'x-request-id': 'from-the-gateway.1' } });

    expect(response.headers.get('x-request-id')).toBe('from-the-gateway.1');
    expect(world.service.logs()).toContain('"request_id":"from-the-gateway.1"');
  });

  test('a request id that would spoil a log is replaced', async () => {
    const response = await request('/healthz', { headers: { 'x-request-id': 'a "quoted" id' } });

    expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  test.each([
    ['GET', '/graphql', 'POST'],
    ['PUT', '/graphql', 'POST'],
    ['POST', '/.well-known/jwks.json', 'GET, HEAD'],
    ['DELETE', '/healthz', 'GET, HEAD'],
  ])('%s %s is not allowed', async (method, path, allowed) => {
    const response = await request(path, { method });

    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe(allowed);
  });

  test('an unknown address is not found', async () => {
    const response = await request('/graphql/else');

    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ errors: [{ extensions: { code: 'not-found' } }] });
  });

  test.each<[string, Record<string, string>]>([
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['plain text', { 'content-type': 'text/plain' }],
    ['GraphQL without JSON', { 'content-type': 'application/graphql' }],
    ['another character set', { 'content-type': 'application/json; charset=latin1' }],
    ['a compressed body', { 'content-encoding': 'gzip' }],
  ])('%s is refused as a media type', async (_what, headers) => {
    const { status, body } = await world.service.post(JSON.stringify({ query: LOGIN }), headers);

    expect(status).toBe(415);
    expect(body.errors).toMatchObject([{ extensions: { code: 'unsupported-media-type' } }]);
  });

  test('a password of a megabyte is not even read', async () => {
    const { status, body } = await world.service.login({
      username: 'alice',
      password: 'x'.repeat(1_048_576),
      tenant_id: 1,
    });

    expect(status).toBe(413);
    expect(body.errors).toMatchObject([{ extensions: { code: 'payload-too-large' } }]);
    expect(world.service.hashes()).toBe(0);
  });

  test.each([
    ['/graphql', { errors: [{ message: expect.any(String), extensions: { code: 'repeated-header' } }] }],
    ['/revocations', { errors: [{ message: expect.any(String), extensions: { code: 'repeated-header' } }] }],
    ['/oauth/token', { error: 'invalid_request', error_description: 'a header is repeated' }],
    ['/oauth/introspect', { error: 'invalid_request', error_description: 'a header is repeated' }],
  ])('of two different credentials %s takes neither', async (path, body) => {
    const credentials = [`Bearer ${REVOCATION_SECRET}`, 'Basic YTpi'];
    const headers = { 'content-type': 'application/json', authorization: credentials };
    const answer = await send(world.service.url + path, { method: 'POST', headers, body: '{}' });

    expect([answer.status, answer.body]).toEqual([400, body]);
  });

  test('an empty body is a bad request', async () => {
    expect((await world.service.post('')).status).toBe(400);
    expect((await world.service.post('null')).status).toBe(400);
    expect((await world.service.post('{}')).status).toBe(400);
  });

  test('a broken database is an internal error without details, and is logged with the request id', async () => {
    const broken = await createWorld('pglite');
    try {
      await broken.database.$executeRaw`DROP TABLE users CASCADE`;
      const variables = { username: 'alice', password: 'x', tenant_id: 1 };
      const { status, body } = await broken.service.graphql(LOGIN, variables, { 'x-request-id': 'broken-1' });

      expect(status).toBe(200);
      expect(body.errors).toMatchObject([{ message: 'internal error', extensions: { code: 'unexpected' } }]);
      expect(JSON.stringify(body)).not.toMatch(/prisma|users|table/i);
      const line = broken.service
        .logs()
        .split('\n')
        .find((text) => text.includes('"event":"request.failed"'));
      expect(JSON.parse(line ?? '{}')).toMatchObject({ level: 'error', request_id: 'broken-1' });
      expect((await fetch(`${broken.service.url}/healthz`)).status).toBe(200);
    } finally {
      await broken.close();
    }
  });
});

describe('when the database is lost', () => {
  test('the service lives on, is not ready, and says no more than that', async () => {
    const database = await createTestDatabase({ engine: 'pglite' });
    const service = await startTestService(database.url);
    try {
      expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
      await database.drop();

      const response = await fetch(`${service.url}/readyz`);
      expect(response.status).toBe(503);
      expect(await response.json()).toMatchObject({ ready: false, checks: { database: 'unreachable' } });
      expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
      const { body } = await service.login({ username: 'alice', password: 'x', tenant_id: 1 });
      expect(body.errors).toMatchObject([{ extensions: { code: 'unavailable' } }]);
    } finally {
      await service.stop();
    }
  });
});

describe('when more people log in than can be hashed', () => {
  test('some are refused with Retry-After, and none waits long', async () => {
    const world = await createWorld('pglite', {
      AUTH_BCRYPT_COST: '10',
      AUTH_HASH_THREADS: '1',
      AUTH_HASH_QUEUE_LIMIT: '2',
    });
    try {
      const login = () => world.service.login({ username: 'nobody', password: 'x', tenant_id: 1 });
      const answers = await Promise.all(Array.from({ length: 12 }, login));
      const busy = answers.filter(({ body }) => body.extensions?.http?.status === 503);
      const refused = answers.filter(({ body }) => body.extensions?.http?.status === 401);

      expect(busy.length).toBeGreaterThan(0);
      expect(refused.length).toBeGreaterThanOrEqual(3);
      expect(busy.length + refused.length).toBe(12);
      expect(busy[0]?.status).toBe(200);
      expect(busy[0]?.body).toEqual({
        data: {
          auth_user_login: {
            success: false,
            error_message: 'Too many logins at the moment, try again later',
            data: null,
          },
        },
        extensions: { http: { status: 503, headers: { 'retry-after': '1' } } },
      });
      expect((await login()).body.extensions?.http?.status).toBe(401);
    } finally {
      await world.close();
    }
  });
});
