import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { preferredEngine } from '../../database/index.ts';
import { addClientTo } from '../operator.ts';
import { createWorld, type World } from '../world.ts';

const FORM = 'application/x-www-form-urlencoded';
const CANARY = 'canary-9d2e70';

describe('the OAuth endpoints', () => {
  let world: World;
  let clientId: string;
  let clientSecret: string;

  beforeAll(async () => {
    world = await createWorld(preferredEngine(), { AUTH_LOG_LEVEL: 'trace' });
    await world.addTenant(1, 'acme');
    await world.addUser(1, 'alice', 'alice at acme');
    const client = { tenantId: 1, name: 'reports', allowedRoles: ['service'], defaultRole: 'service', scopes: ['a'] };
    ({ clientId, clientSecret } = await addClientTo(world.doors, client));
  });
  afterAll(() => world.close());

  async function post(path: string, body: string | Record<string, string>, headers: Record<string, string> = {}) {
    const response = await fetch(world.service.url + path, {
      method: 'POST',
      headers: { 'content-type': FORM, ...headers },
      body: typeof body === 'string' ? body : new URLSearchParams(body).toString(),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: text === '' ? {} : JSON.parse(text) };
  }

  const basic = (id: string, secret: string) => ({
    authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
  });
  const own = () => basic(clientId, clientSecret);
  const ownInBody = () => ({ client_id: clientId, client_secret: clientSecret });

  test('a token may not be kept by anybody on the way', async () => {
    const { status, headers, body } = await post('/oauth/token', { grant_type: 'client_credentials' }, own());

    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('pragma')).toBe('no-cache');
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(body).toEqual({ access_token: expect.any(String), token_type: 'Bearer', expires_in: 900, scope: 'a' });
  });

  test('nor may an error', async () => {
    const { headers } = await post('/oauth/token', {});
    expect(headers.get('cache-control')).toBe('no-store');
  });

  test.each<[string, string, string, Record<string, string> | string, { headers?: Record<string, string> }]>([
    ['without a grant type', '/oauth/token', 'invalid_request', {}, {}],
    ['with an empty grant type', '/oauth/token', 'invalid_request', { grant_type: '' }, {}],
    ['with a grant that is not offered', '/oauth/token', 'unsupported_grant_type', { grant_type: CANARY }, {}],
    [
      'with the password grant',
      '/oauth/token',
      'unsupported_grant_type',
      { grant_type: 'password', password: CANARY },
      {},
    ],
    [
      'with a grant named like a part of every object',
      '/oauth/token',
      'unsupported_grant_type',
      { grant_type: 'constructor' },
      {},
    ],
    ['without the refresh token', '/oauth/token', 'invalid_request', { grant_type: 'refresh_token' }, {}],
    [
      'with an unknown refresh token',
      '/oauth/token',
      'invalid_grant',
      { grant_type: 'refresh_token', refresh_token: CANARY },
      {},
    ],
    [
      'with a scope for a refresh token',
      '/oauth/token',
      'invalid_scope',
      { grant_type: 'refresh_token', refresh_token: CANARY, scope: CANARY },
      {},
    ],
    [
      'with a resource for a refresh token',
      '/oauth/token',
      'invalid_target',
      { grant_type: 'refresh_token', refresh_token: CANARY, resource: `https://${CANARY}.example.test/` },
      {},
    ],
    [
      'with several resources',
      '/oauth/token',
      'invalid_target',
      `grant_type=client_credentials&resource=https://a.test/&resource=https://${CANARY}.test/`,
      {},
    ],
    [
      'with a parameter twice',
      '/oauth/token',
      'invalid_request',
      `grant_type=refresh_token&refresh_token=${CANARY}&refresh_token=b`,
      {},
    ],
    [
      'as JSON',
      '/oauth/token',
      'invalid_request',
      `{"grant_type":"${CANARY}"}`,
      { headers: { 'content-type': 'application/json' } },
    ],
    [
      'in another character set',
      '/oauth/token',
      'invalid_request',
      `grant_type=${CANARY}`,
      { headers: { 'content-type': `${FORM}; charset=klingon` } },
    ],
    [
      'compressed',
      '/oauth/token',
      'invalid_request',
      `grant_type=${CANARY}`,
      { headers: { 'content-encoding': 'gzip' } },
    ],
    ['with a body of a megabyte', '/oauth/token', 'invalid_request', `grant_type=${'x'.repeat(1_048_576)}`, {}],
    ['to revoke nothing', '/oauth/revoke', 'invalid_request', {}, {}],
  ])('a request %s is a 400', async (_what, path, error, body, { headers }) => {
    const answer = await post(path, body, headers);

    expect([answer.status, answer.body]).toEqual([400, { error, error_description: expect.any(String) }]);
    expect(answer.text).not.toContain(CANARY);
  });

  test('authenticating in two ways, or introspecting nothing, is an invalid request', async () => {
    const grant = { grant_type: 'client_credentials' };
    for (const [path, body] of [
      ['/oauth/token', { ...grant, ...ownInBody() }],
      ['/oauth/token', { ...grant, client_id: randomUUID() }],
      ['/oauth/introspect', {}],
    ] as const)
      expect(await post(path, body, own())).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
    expect((await post('/oauth/token', { ...grant, client_id: clientId }, own())).status).toBe(200);
  });

  test('a secret is not good with another client’s id, nor a client’s id without the secret', async () => {
    const grant = { grant_type: 'client_credentials' };
    const other = await addClientTo(world.doors, {
      tenantId: 1,
      name: 'other',
      allowedRoles: ['service'],
      defaultRole: 'service',
      scopes: [],
    });
    const refused: [Record<string, string>, Record<string, string>?][] = [
      [grant],
      [{ ...grant, client_id: 'portico' }],
      [{ ...grant, client_id: clientId }],
      [{ ...grant, client_secret: clientSecret }],
      [{ ...grant, client_id: other.clientId, client_secret: clientSecret }],
      [{ ...grant, client_id: `${clientId}\u0000`, client_secret: clientSecret }],
      [{ ...grant, client_id: clientId, client_secret: `${clientSecret}x` }],
      [{ ...grant, client_id: clientId, client_secret: 'x'.repeat(1000) }],
      [grant, basic(clientId, '')],
      [grant, basic(other.clientId, clientSecret)],
      [grant, basic('portico', 'portico')],
      [grant, { authorization: 'Basic' }],
      [grant, { authorization: 'Basic !' }],
      [grant, { authorization: `Basic ${Buffer.from('%:%').toString('base64')}` }],
      [grant, { authorization: `Bearer ${CANARY}` }],
    ];
    for (const [body, headers] of refused) {
      const answer = await post('/oauth/token', body, headers);
      expect([answer.status, answer.body.error]).toEqual([401, 'invalid_client']);
      expect(answer.headers.get('www-authenticate')).toBe('Basic realm="portico", charset="UTF-8"');
    }
  });

  test('both parts of Basic credentials are form-encoded, and the scheme is known in any case', async () => {
    const encode = (text: string) =>
      text.replace(/[-_]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
    const { authorization } = basic(encode(clientId), encode(clientSecret));
    const answer = await post(
      '/oauth/token',
      { grant_type: 'client_credentials' },
      { authorization: authorization.replace('Basic', 'bAsIc') },
    );
    expect(answer.status).toBe(200);
  });

  test('an expired bearer token that a client attaches does not keep it from refreshing', async () => {
    const { body } = await world.service.login({ username: 'alice', password: 'alice at acme', tenant_id: 1 });
    const refresh_token = body.data?.auth_user_login?.data?.refresh_token ?? '';
    const answer = await post(
      '/oauth/token',
      { grant_type: 'refresh_token', refresh_token },
      { authorization: 'Bearer a.b.c' },
    );
    expect([answer.status, Object.keys(answer.body)]).toEqual([
      200,
      ['access_token', 'token_type', 'expires_in', 'refresh_token'],
    ]);
  });

  test('a service account may not refresh a login’s token', async () => {
    const { body } = await world.service.login({ username: 'alice', password: 'alice at acme', tenant_id: 1 });
    const refresh_token = body.data?.auth_user_login?.data?.refresh_token ?? '';
    const grant = { grant_type: 'refresh_token', refresh_token };

    expect(await post('/oauth/token', grant, own())).toMatchObject({
      status: 400,
      body: { error: 'unauthorized_client' },
    });
    expect((await post('/oauth/token', grant)).status).toBe(200);
  });

  test('a refusal of a resource leaves the refresh token as it was, and a service account gets no token', async () => {
    const { body } = await world.service.login({ username: 'alice', password: 'alice at acme', tenant_id: 1 });
    const grant = { grant_type: 'refresh_token', refresh_token: body.data?.auth_user_login?.data?.refresh_token ?? '' };
    const resource = 'https://orders.example.test/';

    for (const refused of [
      await post('/oauth/token', { ...grant, resource }),
      await post('/oauth/token', { grant_type: 'client_credentials', resource }, own()),
    ])
      expect(refused).toMatchObject({ status: 400, body: { error: 'invalid_target' } });
    // Without a value it counts as left out.
    expect((await post('/oauth/token', { ...grant, resource: '' })).status).toBe(200);
  });

  test('a refresh token that was used before ends the session', async () => {
    const { body } = await world.service.login({ username: 'alice', password: 'alice at acme', tenant_id: 1 });
    const first = body.data?.auth_user_login?.data?.refresh_token ?? '';
    const refresh = (refresh_token: string) => post('/oauth/token', { grant_type: 'refresh_token', refresh_token });
    const second = (await refresh(first)).body.refresh_token;
    const third = (await refresh(second)).body.refresh_token;

    expect((await refresh(first)).body.error).toBe('invalid_grant');
    expect((await refresh(third)).body.error).toBe('invalid_grant');
  });

  test('introspection needs a client’s secret', async () => {
    for (const body of [{ token: 'x' }, { token: 'x', client_id: 'portico' }])
      expect(await post('/oauth/introspect', body)).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
  });

  test('a token is not active any more when its client is revoked, or its user or tenant disabled', async () => {
    await world.addTenant(5, 'soon closed');
    const bobId = await world.addUser(5, 'bob', 'bob’s password');
    const data = { tenantId: 5, name: 'c', allowedRoles: ['service'], defaultRole: 'service', scopes: [] };
    const [client, asking] = [await addClientTo(world.doors, data), await addClientTo(world.doors, data)];
    const grant = { grant_type: 'client_credentials', client_id: client.clientId, client_secret: client.clientSecret };
    const clientToken = (await post('/oauth/token', grant)).body.access_token;
    const { body } = await world.service.login({ username: 'bob', password: 'bob’s password', tenant_id: 5 });
    const { access_token = '', refresh_token = '' } = body.data?.auth_user_login?.data ?? {};
    const isActive = async (token: string) => {
      const answer = await post('/oauth/introspect', { token }, basic(asking.clientId, asking.clientSecret));
      return answer.status === 200 ? answer.body.active : answer.status;
    };
    const states = async () => [
      await isActive(clientToken),
      await isActive(access_token),
      await isActive(refresh_token),
    ];

    expect(await states()).toEqual([true, true, true]);
    await world.database.oAuthClient.update({ where: { id: client.clientId }, data: { revokedAt: new Date() } });
    await world.database.user.update({
      where: { tenantId_id: { tenantId: 5, id: bobId } },
      data: { disabledAt: new Date() },
    });
    expect(await states()).toEqual([false, false, false]);

    await world.database.tenant.update({ where: { id: 5 }, data: { disabledAt: new Date() } });
    expect(await isActive(clientToken)).toBe(401);
  });

  test.each(['/oauth/token', '/oauth/revoke', '/oauth/introspect'])('%s takes POST only', async (path) => {
    const response = await fetch(`${world.service.url}${path}?grant_type=client_credentials`);

    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
  });

  test('a revocation is answered with JSON, as everything is, for clients that read each body as such', async () => {
    const answer = await post('/oauth/revoke', { token: randomUUID() });

    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    expect(answer.text).toBe('{}');
  });

  test('no secret and no token is in the log', async () => {
    const { body } = await post('/oauth/token', { grant_type: 'client_credentials', ...ownInBody() });
    await post('/oauth/introspect', { token: body.access_token }, own());
    await post('/oauth/revoke', { token: body.access_token }, own());

    expect(world.service.logs()).toContain('"event":"client_token.succeeded"');
    for (const secret of [clientSecret, body.access_token, CANARY]) expect(world.service.logs()).not.toContain(secret);
  });

  test('a broken database is a server error without details', async () => {
    const broken = await createWorld(preferredEngine());
    try {
      await broken.database.$executeRaw`DROP TABLE oauth_clients`;
      const response = await fetch(`${broken.service.url}/oauth/token`, {
        method: 'POST',
        headers: basic(randomUUID(), 'x'),
        body: new URLSearchParams({ grant_type: 'client_credentials' }),
      });
      expect([response.status, await response.json()]).toEqual([
        500,
        { error: 'server_error', error_description: 'internal error' },
      ]);
    } finally {
      await broken.close();
    }
  });
});
