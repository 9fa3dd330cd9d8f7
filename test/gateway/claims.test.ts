import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import {
  bearer,
  type GraphqlOptions,
  keeper,
  openPlatform,
  type TestServer,
  type TokenContent,
} from './harness/index.ts';

const { keep, close } = keeper();
afterAll(close);
const platform = await keep(
  openPlatform({
    metadata: {
      'services.yaml': [
        { name: 'files', path: '/files', url: '{{FILES_URL}}/stored' },
        {
          name: 'open files',
          path: '/open-files',
          url: '{{FILES_URL}}',
          forward_client_headers: true,
          headers: [
            { name: 'X-Hasura-Tenant-Id', value: '42' },
            { name: 'X-Tag', value: 'configured' },
          ],
        },
      ],
    },
  }),
);
const { issuer, gateway, orders, cancel, files } = platform;
beforeEach(() => platform.forget());

/** The ways to a service, and the headers that it gets. */
const ways: [string, TestServer, (headers: Record<string, string | string[]>) => Promise<{ status: number }>][] = [
  ['a remote schema', orders, (headers) => gateway.graphql('{ orders { id } }', { headers })],
  ['a plain HTTP service', files, (headers) => gateway.send('/files/list.csv', { headers })],
];

function hasuraHeaders(server: TestServer): Record<string, unknown> {
  expect(server.requests).toHaveLength(1);
  const headers = Object.entries(server.requests[0]?.headers ?? {});
  return Object.fromEntries(headers.filter(([name]) => name.startsWith('x-hasura-')));
}

const OWN = { 'x-hasura-role': 'user', 'x-hasura-user-id': '7', 'x-hasura-tenant-id': '1' };

describe.each(ways)('%s', (_, server, ask) => {
  test('gets the claims of my token as headers, and not the token', async () => {
    expect((await ask(bearer(issuer.token()))).status).toBe(200);
    expect(hasuraHeaders(server)).toEqual(OWN);
    expect(server.requests[0]?.headers).not.toHaveProperty('authorization');
  });

  test.each([
    ['in lower case', { 'x-hasura-tenant-id': '2', 'x-hasura-user-id': '8' }],
    ['in upper case', { 'X-HASURA-TENANT-ID': '2', 'X-Hasura-User-Id': '8' }],
    ['of my own making', { 'x-hasura-is-admin': 'true', 'x-hasura-allowed-roles': 'admin' }],
    ['with an empty value', { 'x-hasura-tenant-id': '' }],
  ])('is not impressed by x-hasura-* headers that I send %s', async (__, headers) => {
    expect((await ask({ ...bearer(issuer.token()), ...headers })).status).toBe(200);
    expect(hasuraHeaders(server)).toEqual(OWN);
  });

  test('gets the role that I choose among the allowed ones', async () => {
    expect((await ask({ ...bearer(issuer.token()), 'X-Hasura-Role': 'manager' })).status).toBe(200);
    expect(hasuraHeaders(server)).toEqual({ ...OWN, 'x-hasura-role': 'manager' });
  });

  test.each([
    ['two roles, both of them allowed', { 'x-hasura-role': ['user', 'manager'] }],
    ['a claim twice', { 'x-hasura-tenant-id': ['2', '3'], 'X-Hasura-Tenant-ID': '4' }],
  ])('is not asked when I send %s', async (__, headers) => {
    expect((await ask({ ...bearer(issuer.token()), ...headers })).status).toBe(400);
    expect(server.requests).toHaveLength(0);
  });

  test('keeps the claims when I declare them to be of this connection only', async () => {
    const Connection = 'x-hasura-tenant-id, x-hasura-user-id, close';
    expect((await ask({ ...bearer(issuer.token()), Connection })).status).toBe(200);
    expect(hasuraHeaders(server)).toEqual(OWN);
    expect(server.requests[0]?.headers.connection).not.toContain('hasura');
  });

  test('sees where I really come from', async () => {
    const lies = { 'x-forwarded-for': '6.6.6.6', forwarded: 'for=6.6.6.6', 'x-real-ip': '6.6.6.6' };
    await ask({ ...bearer(issuer.token()), ...lies });
    expect(server.requests[0]?.headers).toMatchObject({ 'x-forwarded-for': '127.0.0.1' });
    expect(JSON.stringify(server.requests[0]?.headers)).not.toContain('6.6.6.6');
  });

  test('does not get my credentials for other parties', async () => {
    const headers = { ...bearer(issuer.token()), cookie: 'session=1', 'proxy-authorization': 'Basic YTpi' };
    await ask(headers);
    expect(Object.keys(server.requests[0]?.headers ?? {})).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(authorization|cookie|proxy-authorization)$/)]),
    );
  });

  test('gets the request id that I am answered with', async () => {
    const headers = { ...bearer(issuer.token()), 'x-request-id': 'mine-1' };
    await ask(headers);
    expect(server.requests[0]?.headers).toMatchObject({ 'x-request-id': 'mine-1' });
  });

  const written: [string, TokenContent['hasura'], Record<string, string | undefined>][] = [
    ['a number', { 'x-hasura-level': 3 }, { 'x-hasura-level': '3' }],
    ['a truth value', { 'x-hasura-is-admin': false }, { 'x-hasura-is-admin': 'false' }],
    ['a list', { 'x-hasura-teams': ['a', 'b"c', null, 4] }, { 'x-hasura-teams': '{"a","b\\"c",NULL,"4"}' }],
    ['an object', { 'x-hasura-scope': { a: [1] } }, { 'x-hasura-scope': '{"a":[1]}' }],
    ['nothing', { 'x-hasura-tenant-id': null }, { 'x-hasura-tenant-id': undefined }],
    ['a name in another case', { 'X-Hasura-Org-Id': '5' }, { 'x-hasura-org-id': '5' }],
    ['a role of its own', { 'x-hasura-role': 'admin' }, { 'x-hasura-role': 'user' }],
    ['a tab', { 'x-hasura-title': 'a\tb' }, { 'x-hasura-title': 'a\tb' }],
    ['letters of all the world', { 'x-hasura-name': 'Zoë 王 🚪' }, { 'x-hasura-name': utf8('Zoë 王 🚪') }],
  ];

  test.each(written)('gets a claim that holds %s', async (__, hasura = {}, expected) => {
    expect((await ask(bearer(issuer.token({ hasura })))).status).toBe(200);
    expect(hasuraHeaders(server)).toEqual({ ...OWN, ...expected });
  });

  test('gets no claim that is none of the x-hasura-* names', async () => {
    await ask(bearer(issuer.token({ hasura: { 'x-other': 'a', __proto__x: 'b', 'hasura-x': 'c' } })));
    expect(server.requests[0]?.headers).not.toHaveProperty('x-other');
    expect(hasuraHeaders(server)).toEqual(OWN);
  });
});

/** Header bytes as node shows them: each as a Latin-1 letter. */
function utf8(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

describe('a service that wants my headers too', () => {
  test('gets them, in an order of precedence: configured, then my claims, then what I send', async () => {
    const sent = {
      authorization: `Bearer ${issuer.token()}`,
      cookie: 'a=1',
      'x-tag': 'client',
      'x-own': 'client',
      'x-hasura-user-id': '8',
      'x-hasura-tenant-id': '2',
      'user-agent': 'a browser',
      origin: 'https://shop.test',
    };
    expect((await gateway.send('/open-files/x', { headers: sent })).status).toBe(200);
    expect(files.requests[0]?.headers).toMatchObject({
      'x-hasura-tenant-id': '42',
      'x-hasura-user-id': '7',
      'x-tag': 'configured',
      'x-own': 'client',
      cookie: 'a=1',
      authorization: sent.authorization,
      'x-forwarded-host': `127.0.0.1:${gateway.port}`,
      'x-forwarded-user-agent': 'a browser',
      'x-forwarded-origin': 'https://shop.test',
    });
  });
});

describe('an action', () => {
  const CANCEL = 'mutation { cancelOrder(id: "1") { status } }';
  const call = (options: GraphqlOptions) => gateway.graphql(CANCEL, options);

  test('gets the claims in its body and none in its headers', async () => {
    const headers = { 'x-hasura-tenant-id': '2', 'X-Hasura-Is-Admin': 'true' };
    await call({ token: issuer.token(), headers });
    expect(cancel.requests[0]?.body).toMatchObject({ session_variables: OWN });
    expect(Object.keys(cancel.requests[0]?.headers ?? {}).filter((name) => name.startsWith('x-hasura'))).toEqual([]);
  });

  test('gets texts, whatever the claims hold, in letters of all the world', async () => {
    await call({ token: issuer.token({ hasura: { 'x-hasura-level': 3, 'x-hasura-name': 'Zoë 王 🚪' } }) });
    const session_variables = { ...OWN, 'x-hasura-level': '3', 'x-hasura-name': 'Zoë 王 🚪' };
    expect(cancel.requests[0]?.body).toMatchObject({ session_variables });
  });
});

describe('precedence for a remote schema and an action', () => {
  const { keep: keepHere, close: closeHere } = keeper();
  afterAll(closeHere);

  test('is configured, then claims, then client headers', async () => {
    const {
      gateway: forwarding,
      orders: remote,
      cancel: hook,
      issuer: own,
    } = await keepHere(
      openPlatform({
        environment: { FIXED: 'from the environment', HASURA_GRAPHQL_LOG_LEVEL: 'silent' },
        metadata: {
          'remote_schemas.yaml': [
            {
              name: 'orders',
              definition: {
                url: '{{ORDERS_URL}}',
                forward_client_headers: true,
                headers: [
                  { name: 'X-Hasura-Tenant-Id', value: '42' },
                  { name: 'X-Fixed', value_from_env: 'FIXED' },
                  { name: 'X-Template', value: 'a {{FIXED}} b' },
                ],
              },
            },
          ],
          'actions.yaml': {
            actions: [
              {
                name: 'cancelOrder',
                definition: {
                  handler: '{{CANCEL_URL}}',
                  forward_client_headers: true,
                  headers: [{ name: 'X-Own', value: 'configured' }],
                },
                permissions: [{ role: 'user' }],
              },
            ],
          },
          'query_collections.yaml': [],
          'rest_endpoints.yaml': [],
        },
      }),
    );
    const headers = {
      cookie: 'a=1',
      'x-own': 'client',
      'x-fixed': 'client',
      'x-hasura-user-id': '8',
      accept: 'application/json',
      'accept-encoding': 'gzip, br',
      'accept-language': 'de',
      'cache-control': 'no-cache',
      referer: 'https://shop.test/',
      origin: 'https://shop.test',
      'user-agent': 'a browser',
    };
    const token = own.token();
    await forwarding.graphql('{ orders { id } }', { token, headers });
    expect(remote.operations()[0]?.headers).toMatchObject({
      'x-hasura-tenant-id': '42',
      'x-hasura-user-id': '7',
      'x-fixed': 'from the environment',
      'x-template': 'a from the environment b',
      'x-own': 'client',
      cookie: 'a=1',
      authorization: `Bearer ${token}`,
      'x-forwarded-user-agent': 'a browser',
      'x-forwarded-origin': 'https://shop.test',
    });
    await forwarding.graphql('mutation { cancelOrder(id: "1") { id } }', { token, headers });
    expect(hook.requests[0]?.headers).toMatchObject({ 'x-own': 'configured', 'x-fixed': 'client', cookie: 'a=1' });
    for (const received of [remote.operations()[0], hook.requests[0]]) {
      const names = Object.keys(received?.headers ?? {});
      for (const ignored of ['accept-language', 'cache-control', 'referer', 'origin'])
        expect(names).not.toContain(ignored);
      expect(received?.headers['accept-encoding'] ?? 'identity').toBe('identity');
      expect(received?.headers['user-agent']).not.toBe('a browser');
      expect(received?.headers.host).not.toContain(String(forwarding.port));
    }
  });

  test('is configured, then claims, for a remote schema that gets no client headers', async () => {
    const {
      gateway: plain,
      orders: remote,
      issuer: own,
    } = await keepHere(
      openPlatform({
        metadata: {
          'remote_schemas.yaml': [
            {
              name: 'orders',
              definition: { url: '{{ORDERS_URL}}', headers: [{ name: 'X-Hasura-Tenant-Id', value: '42' }] },
            },
          ],
          'actions.yaml': undefined,
          'actions.graphql': undefined,
          'query_collections.yaml': [],
          'rest_endpoints.yaml': [],
        },
      }),
    );
    await plain.graphql('{ orders { id } }', { token: own.token(), headers: { 'x-hasura-tenant-id': '2' } });
    expect(remote.operations()[0]?.headers).toMatchObject({ 'x-hasura-tenant-id': '42', 'x-hasura-user-id': '7' });
  });
});
