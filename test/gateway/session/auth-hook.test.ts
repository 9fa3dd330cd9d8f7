import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { GOOD_LOGIN, type Handler, keeper, LOGIN, openPlatform, serve } from '../harness/index.ts';
import { answerWith, CLIENT, ORDERS, openHookedPlatforms, refusalOf, SESSION } from './hooked-platform.ts';

const { keep, close } = keeper();
afterAll(close);
const { hook, byGet, byPost, byPostAlone, forget } = await keep(openHookedPlatforms());
beforeEach(forget);

describe.each([
  ['a GET', byGet],
  ['a POST', byPost],
  ['a POST without the operation', byPostAlone],
] as const)('a hook that is asked with %s', (_, { gateway, orders, files }) => {
  test('decides who I am, whatever role I ask for', async () => {
    const { status, body } = await gateway.graphql(ORDERS, { headers: CLIENT });
    expect([status, body]).toMatchObject([200, { data: { orders: [{ id: '1', tenant: '3' }, {}] } }]);
    expect(orders.operations()[0]?.headers).toMatchObject({ 'x-hasura-role': 'user', 'x-hasura-user-id': '9' });
  });

  test('is asked on REST endpoints and pass-through routes too', async () => {
    expect((await gateway.send('/api/rest/orders', { headers: CLIENT })).status).toBe(200);
    expect((await gateway.send('/files/a.csv', { headers: CLIENT })).status).toBe(200);
    expect(files.requests[0]?.headers).toMatchObject({ 'x-hasura-role': 'user', 'x-hasura-tenant-id': '3' });
    expect(files.requests[0]?.headers).not.toHaveProperty('authorization');
    expect(hook.requests).toHaveLength(2);
  });

  test('is called for each request', async () => {
    hook.instead = answerWith({ ...SESSION, 'Cache-Control': 'max-age=600' }, 200, { 'cache-control': 'max-age=600' });
    await gateway.graphql(ORDERS, { headers: CLIENT });
    hook.instead = answerWith({}, 401);
    expect((await gateway.graphql(ORDERS, { headers: CLIENT })).status).toBe(401);
  });

  test('is not asked for a login', async () => {
    expect((await gateway.graphql(LOGIN, { headers: CLIENT, variables: GOOD_LOGIN })).status).toBe(200);
    expect(hook.requests).toHaveLength(0);
  });

  test('is not asked where the admin secret is shown, right or wrong, and never sees it', async () => {
    const admin = (secret: string) => ({ headers: { ...CLIENT, 'x-hasura-admin-secret': secret } });
    expect((await gateway.graphql(ORDERS, admin('the-admin-secret'))).status).toBe(200);
    expect((await gateway.graphql(ORDERS, admin('wrong'))).status).toBe(401);
    expect(hook.requests).toHaveLength(0);
  });

  test('is asked about callers who show nothing', async () => {
    hook.instead = answerWith({ 'x-hasura-role': 'guest' });
    expect((await gateway.graphql('{ orders { id } }')).status).toBe(200);
    expect(orders.operations()[0]?.headers).toMatchObject({ 'x-hasura-role': 'guest' });
  });

  test('is asked before a broken document is explained', async () => {
    hook.instead = answerWith({}, 401);
    expect((await gateway.graphql('{', { headers: CLIENT })).status).toBe(401);
    expect(hook.requests).toHaveLength(1);
  });

  test('may name a role that a service rejects', async () => {
    hook.instead = answerWith({ 'x-hasura-role': 'guest' });
    const { body } = await gateway.graphql('{ whoami }', { headers: CLIENT });
    expect(body.errors?.[0]?.extensions.code).toBe('validation-failed');
  });

  test('may say what is no text', async () => {
    hook.instead = answerWith({ ...SESSION, 'x-hasura-user-id': 12, 'X-Hasura-Tenant-Id': null, 'x-other': 'y' });
    await gateway.graphql('{ orders { id } }', { headers: CLIENT });
    const { headers } = orders.operations()[0] ?? {};
    expect(headers).toMatchObject({ 'x-hasura-user-id': '12' });
    expect(headers).not.toHaveProperty('x-hasura-tenant-id');
    expect(headers).not.toHaveProperty('x-other');
  });

  test('may set cookies', async () => {
    hook.instead = answerWith(SESSION, 200, { 'set-cookie': ['a=1; HttpOnly', 'b=2'] });
    const answers = [
      await gateway.graphql(ORDERS, { headers: CLIENT }),
      await gateway.send('/api/rest/orders', { headers: CLIENT }),
      await gateway.send('/files/a.csv', { headers: CLIENT }),
    ];
    for (const { headers } of answers) expect(headers['set-cookie']).toEqual(['a=1; HttpOnly', 'b=2']);
  });

  test.each<[string, Handler, object]>([
    [
      'it says 401',
      answerWith({ message: 'hidden' }, 401),
      { status: 401, code: 'access-denied', message: 'Authentication hook unauthorized this request' },
    ],
    ['it says 403', answerWith({}, 403), { status: 500, message: 'Invalid response from authorization hook' }],
    ['it says 500', answerWith({}, 500), { status: 500, message: 'Invalid response from authorization hook' }],
    ['it says 204', (_, response) => response.writeHead(204).end(), { status: 500, code: 'unexpected' }],
    [
      'it leads elsewhere',
      (_, response) => response.writeHead(302, { location: hook.url }).end(),
      { status: 500, code: 'unexpected' },
    ],
    [
      'its answer is no JSON',
      (_, response) => response.writeHead(200).end('{'),
      { status: 500, code: 'unexpected', message: 'Invalid response from authorization hook: it is not JSON' },
    ],
    [
      'its answer is a list',
      answerWith(['x-hasura-role']),
      { status: 500, message: expect.stringContaining('not a JSON object') },
    ],
    [
      'its answer has no role',
      answerWith({ 'x-hasura-user-id': '9' }),
      {
        status: 500,
        code: 'unexpected',
        message: 'Invalid response from authorization hook: "x-hasura-role" not found in session variables',
      },
    ],
    ['its role is empty', answerWith({ 'x-hasura-role': '' }), { status: 500, code: 'unexpected' }],
    ['a variable holds a line break', answerWith({ ...SESSION, 'x-hasura-a': 'a\r\nx: y' }), { status: 500 }],
    [
      'it hangs up',
      (_, response) => response.destroy(),
      { status: 503, code: 'service-unavailable', message: 'webhook authentication request failed' },
    ],
  ])('keeps me out when %s, until it answers again', async (_, handler, refusal) => {
    hook.instead = handler;
    expect(refusalOf(await gateway.graphql(ORDERS, { headers: CLIENT }))).toMatchObject(refusal);
    expect(refusalOf(await gateway.send('/files/a.csv', { headers: CLIENT }))).toMatchObject(refusal);
    hook.instead = answerWith(SESSION);
    expect((await gateway.graphql(ORDERS, { headers: CLIENT })).status).toBe(200);
  });

  test('keeps me out while it is down, until it is up again', async () => {
    await hook.stop();
    const refused = await gateway.graphql(ORDERS, { headers: CLIENT });
    expect(refusalOf(refused)).toEqual({
      status: 503,
      code: 'service-unavailable',
      message: 'webhook authentication request failed',
    });
    expect(refused.headers['retry-after']).toBe('1');
    await hook.start();
    expect((await gateway.graphql(ORDERS, { headers: CLIENT })).status).toBe(200);
    expect(gateway.logs()).toContain('auth_hook.call_failed');
    expect(gateway.logs()).not.toContain('of-the-client');
  });
});

test('a service’s own cookies come beside those of the hook', async () => {
  const service = await keep(serve(answerWith({}, 200, { 'set-cookie': ['c=3', 'd=4'] })));
  const { gateway } = await keep(
    openPlatform({
      environment: { HASURA_GRAPHQL_JWT_SECRET: undefined, HASURA_GRAPHQL_AUTH_HOOK: hook.url },
      metadata: { 'services.yaml': [{ name: 'own', path: '/own', url: service.url }] },
    }),
  );
  hook.instead = answerWith(SESSION, 200, { 'set-cookie': ['a=1', 'b=2'] });
  const { headers } = await gateway.send('/own/page', { headers: CLIENT });
  expect(headers['set-cookie']).toEqual(['a=1', 'b=2', 'c=3', 'd=4']);
});
