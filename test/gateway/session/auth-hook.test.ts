import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import {
  GOOD_LOGIN,
  type GraphqlBody,
  type Handler,
  keeper,
  LOGIN,
  openPlatform,
  reply,
  serve,
  type TestServer,
} from '../harness/index.ts';

const { keep, close } = keeper();
afterAll(close);
const SESSION = { 'X-Hasura-Role': 'user', 'x-hasura-user-id': '9', 'X-Hasura-Tenant-Id': '3' };
const answerWith =
  (body: unknown, status = 200, headers: Record<string, string | string[]> = {}): Handler =>
  (_, response) =>
    reply(response, status, body, headers);

interface Hook extends TestServer {
  instead: Handler;
}

async function openHook(): Promise<Hook> {
  const server = await serve((...exchange) => hook.instead(...exchange));
  const hook: Hook = { ...server, instead: answerWith(SESSION) };
  return hook;
}

const hook = await keep(openHook());

const withHook = (environment: Record<string, string | undefined>) =>
  keep(
    openPlatform({
      environment: {
        HASURA_GRAPHQL_JWT_SECRET: undefined,
        HASURA_GRAPHQL_AUTH_HOOK: `${hook.url}/judge?by=portico`,
        HASURA_GRAPHQL_ADMIN_SECRET: 'the-admin-secret',
        ...environment,
      },
    }),
  );
const byGet = await withHook({});
const byPost = await withHook({ HASURA_GRAPHQL_AUTH_HOOK_MODE: 'POST' });
const byPostAlone = await withHook({
  HASURA_GRAPHQL_AUTH_HOOK_MODE: 'POST',
  HASURA_GRAPHQL_AUTH_HOOK_SEND_REQUEST_BODY: 'false',
});

beforeEach(() => {
  for (const server of [byGet, byPost, byPostAlone]) server.forget();
  hook.requests.length = 0;
  hook.instead = answerWith(SESSION);
});

/** A header's text travels as its UTF-8 bytes, which node takes as Latin-1 letters. */
const IN_UTF8 = Buffer.from('zoë', 'utf8').toString('latin1');
const ORDERS = '{ orders { id tenant } }';
const CLIENT = {
  authorization: 'Bearer of-the-client',
  'x-api-key': 'k-1',
  'X-Hasura-Role': 'manager',
  'user-agent': 'client/1',
  accept: 'application/json',
  referer: 'https://app.test/',
  dnt: '1',
};

function refusalOf({ status, body }: { status: number; body: unknown }) {
  const { errors, code, error } = body as GraphqlBody;
  const [first] = errors ?? [];
  return { status, code: first?.extensions.code ?? code, message: first?.message ?? error };
}

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

  test('is asked for each request anew', async () => {
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

  test('may name a role that a service does not let in', async () => {
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
    expect(gateway.logs()).toContain('the authentication hook did not answer');
    expect(gateway.logs()).not.toContain('of-the-client');
  });
});

test.each(['GET', 'POST'])('where there is no admin secret, a hook sees none with a %s either', async (method) => {
  const { gateway } = await withHook({
    HASURA_GRAPHQL_ADMIN_SECRET: undefined,
    HASURA_GRAPHQL_AUTH_HOOK_MODE: method,
  });
  const secrets = { 'x-hasura-admin-secret': 'of-another-gateway', 'X-Hasura-Access-Key': 'of-another-gateway' };
  expect((await gateway.graphql(ORDERS, { headers: { ...CLIENT, ...secrets } })).status).toBe(200);
  expect(hook.requests).toHaveLength(1);
  expect(JSON.stringify(hook.requests)).toContain('of-the-client');
  expect(JSON.stringify(hook.requests)).not.toContain('of-another-gateway');
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

test('a GET hands my headers on, without those that describe my own request', async () => {
  const headers = { ...CLIENT, 'content-type': 'application/json', 'x-name': IN_UTF8 };
  await byGet.gateway.send('/api/rest/orders', { headers });
  const [asked] = hook.requests;
  expect(asked).toMatchObject({ method: 'GET', url: '/judge?by=portico', text: '' });
  expect(asked?.headers).toMatchObject({
    authorization: 'Bearer of-the-client',
    'x-api-key': 'k-1',
    'x-hasura-role': 'manager',
    'x-name': IN_UTF8,
    'user-agent': 'portico',
    host: new URL(hook.url).host,
  });
  for (const name of ['content-type', 'content-length', 'referer', 'dnt'])
    expect(asked?.headers).not.toHaveProperty(name);
});

describe('a POST', () => {
  test('tells my headers and my operation', async () => {
    await byPost.gateway.graphql('query list($status: OrderStatus) { orders(status: $status) { id } }', {
      headers: CLIENT,
      variables: { status: 'OPEN' },
      operationName: 'list',
    });
    const [asked] = hook.requests;
    expect(asked).toMatchObject({
      method: 'POST',
      url: '/judge?by=portico',
      body: {
        headers: {
          authorization: 'Bearer of-the-client',
          'x-hasura-role': 'manager',
          'user-agent': 'client/1',
        },
        request: {
          query: 'query list($status: OrderStatus) { orders(status: $status) { id } }',
          variables: { status: 'OPEN' },
          operationName: 'list',
        },
      },
    });
    expect(asked?.headers).not.toHaveProperty('authorization');
  });

  test('tells the operation of a REST endpoint, and none for a service', async () => {
    await byPost.gateway.send('/api/rest/orders/1', { headers: CLIENT });
    await byPost.gateway.send('/files/a.csv', { headers: { ...CLIENT, 'x-name': IN_UTF8 } });
    expect(hook.requests[1]?.body).toMatchObject({ headers: { 'x-name': 'zoë' } });
    const [rest, service] = hook.requests.map(({ body }) => (body as { request: unknown }).request);
    expect(rest).toMatchObject({ query: expect.stringContaining('order(id: $id)'), variables: { id: '1' } });
    expect(service).toBeNull();
  });

  test('judges each operation of a batch', async () => {
    hook.instead = ({ body }, response) => {
      const { query } = (body as { request: { query: string } }).request;
      reply(response, query.includes('whoami') ? 401 : 200, SESSION);
    };
    const batch = (...queries: string[]) =>
      byPost.gateway.post(
        '/v1/graphql',
        queries.map((query) => ({ query })),
        CLIENT,
      );
    expect((await batch(ORDERS, ORDERS)).status).toBe(200);
    expect((await batch(ORDERS, '{ whoami }')).status).toBe(401);
    expect(hook.requests).toHaveLength(4);
  });

  test('keeps the operation to itself where that is set', async () => {
    await byPostAlone.gateway.graphql(ORDERS, { headers: CLIENT });
    expect(Object.keys(hook.requests[0]?.body as object)).toEqual(['headers']);
  });
});

test.each([
  ['a GET', byGet],
  ['a POST without the operation', byPostAlone],
] as const)('a batch is judged with %s once', async (_, { gateway }) => {
  const batch = [{ query: ORDERS }, { query: ORDERS }, { query: '{ whoami }' }];
  expect((await gateway.post('/v1/graphql', batch, CLIENT)).status).toBe(200);
  expect(hook.requests).toHaveLength(1);
});

describe('what a browser sends by itself', () => {
  const { gateway } = byGet;
  const link = `/v1/graphql?query=${encodeURIComponent('{ orders { id } }')}`;

  test.each([
    ['a cookie', { cookie: 'session=1' }],
    ['a remembered password', { authorization: 'Basic YTpi' }],
  ])('is not judged for another site: %s', async (_, headers) => {
    const answer = await gateway.send(link, { headers: { ...headers, 'sec-fetch-site': 'cross-site' } });
    expect(refusalOf(answer)).toMatchObject({ status: 403, code: 'access-denied' });
    expect(hook.requests).toHaveLength(0);
  });

  test('is judged for our own', async () => {
    const headers = { cookie: 'session=1', 'sec-fetch-site': 'same-origin' };
    expect((await gateway.send(link, { headers })).status).toBe(200);
    expect(hook.requests[0]?.headers).toMatchObject({ cookie: 'session=1' });
  });
});
