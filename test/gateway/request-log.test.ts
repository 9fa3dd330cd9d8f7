import type { ServerResponse } from 'node:http';
import { afterAll, describe, expect, test } from '@jest/globals';
import {
  bearer,
  GOOD_LOGIN,
  headOf,
  keeper,
  LOGIN,
  openGateway,
  openIssuer,
  openPlatform,
  reply,
  sendBytes,
  until,
} from './harness/index.ts';
import { sseClient, wsClient } from './subscriptions/clients.ts';
import { graphqlWsService } from './subscriptions/services.ts';

const { keep, close } = keeper();
afterAll(close);
const platform = await keep(openPlatform({ environment: { HASURA_GRAPHQL_ADMIN_SECRET: 'the admin secret' } }));
const { gateway, issuer } = platform;
const token = issuer.token();

type Line = Readonly<Record<string, unknown>>;

let requests = 0;

/** The lines of a gateway's log that have all of these members. Each line has to be JSON. */
function linesWith(members: Line, logs = gateway.logs()): readonly Line[] {
  const lines = logs.split('\n').filter((line) => line !== '');
  return lines
    .map((line) => JSON.parse(line) as Line)
    .filter((line) => Object.entries(members).every(([name, value]) => line[name] === value));
}

/** Sends a request under an id of its own. @returns its line in the access log. */
async function lineOf(sendIt: (headers: Record<string, string>) => Promise<unknown>): Promise<Line> {
  const id = `request-${++requests}`;
  await sendIt({ 'x-request-id': id });
  return until('the request is logged', () => linesWith({ request_id: id, type: 'http-log' })[0]);
}

const ofOperation = (query: string, more: Parameters<typeof gateway.graphql>[1] = {}) =>
  lineOf((headers) => gateway.graphql(query, { token, ...more, headers: { ...headers, ...more?.headers } }));

/** Sends a GET with these headers, in UTF-8, past a client that would refuse them. */
const ofBytes = (path: string, more: Readonly<Record<string, string>> = {}) =>
  lineOf((headers) => {
    const all = { host: 'gateway', connection: 'close', ...bearer(token), ...headers, ...more };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
    return sendBytes(gateway.port, Buffer.from(headOf(`GET ${path} HTTP/1.1`, ...lines)).toString('latin1'));
  });

const ORDERS_SOURCE = {
  name: 'orders',
  kind: 'remote-schema',
  calls: 1,
  duration_ms: expect.any(Number),
  outcome: 'success',
};

test('probes that are answered by 200 have a line on the level debug only', async () => {
  const quiet = await keep(openGateway({ issuer, environment: { HASURA_GRAPHQL_LOG_LEVEL: 'info' } }));
  const pathsOf = (logs: string) => linesWith({ type: 'http-log', status: 200 }, logs).map(({ path }) => path);
  const probes = ['/readyz', '/healthz', '/hasura/healthz'];
  for (const path of [...probes, '/v1/version']) {
    await quiet.send(path);
    await gateway.send(path);
  }
  await until('the last request is logged', () => pathsOf(quiet.logs()).includes('/v1/version'));
  expect(pathsOf(quiet.logs())).toEqual(['/v1/version']);
  await until('the probes are logged', () => probes.every((path) => pathsOf(gateway.logs()).includes(path)));
});

describe('the line of a request', () => {
  test('names the operation, its caller, the client and the sources with their times', async () => {
    const line = await ofOperation('query Stock { orders { id } }', {
      headers: { 'apollographql-client-name': 'shop', 'apollographql-client-version': '1.4.2' },
    });
    expect(line).toEqual({
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      service: 'gateway',
      request_id: expect.any(String),
      type: 'http-log',
      event: 'request.completed',
      method: 'POST',
      path: '/v1/graphql',
      ip: '127.0.0.1',
      status: 200,
      duration_ms: expect.any(Number),
      operation_type: 'query',
      operation_name: 'Stock',
      role: 'user',
      tenant_id: '1',
      user_id: '7',
      client_name: 'shop',
      client_version: '1.4.2',
      sources: [ORDERS_SOURCE],
      errors: 0,
      msg: 'request',
    });
    const [{ duration_ms = 0 } = {}] = line.sources as { duration_ms?: number }[];
    expect(duration_ms).toBeGreaterThan(0);
    expect(duration_ms).toBeLessThanOrEqual((line.duration_ms as number) + 0.1);
  });

  test('names clients by the headers graphql-client-name and -version as well', async () => {
    const headers = { 'graphql-client-name': 'K\u00fcche', 'graphql-client-version': '2' };
    expect(await ofBytes('/v1/graphql?query=%7B__typename%7D', headers)).toMatchObject({
      client_name: 'K\u00fcche',
      client_version: '2',
    });
  });

  test('names the operation that is meant of several, and the role that was picked', async () => {
    const query = 'query First { orders { id } } mutation Second { placeOrder(item: "nut", quantity: 1) { id } }';
    const line = await ofOperation(query, { operationName: 'Second', headers: { 'x-hasura-role': 'manager' } });
    expect(line).toMatchObject({ operation_type: 'mutation', operation_name: 'Second', role: 'manager' });
  });

  test('has each source of an operation once, with its calls', async () => {
    const { sources } = await ofOperation(
      'mutation { cancelOrder(id: 1) { id } b: cancelOrder(id: 2) { id } placeOrder(item: "nut", quantity: 1) { id } }',
    );
    expect(sources).toHaveLength(2);
    expect(sources).toEqual(
      expect.arrayContaining([ORDERS_SOURCE, { ...ORDERS_SOURCE, name: 'cancelOrder', kind: 'action', calls: 2 }]),
    );
  });

  test('counts errors of the response, and lists their codes', async () => {
    const line = await ofOperation('{ a: order(id: "broken") { id } b: order(id: "broken") { id } }');
    expect(line).toMatchObject({ status: 200, errors: 2, error_codes: ['BROKEN'], sources: [ORDERS_SOURCE] });
  });

  test('says what was refused, and why', async () => {
    expect(await ofOperation('query Wrong { nonsense }')).toMatchObject({
      operation_name: 'Wrong',
      role: 'user',
      errors: 1,
      error_codes: ['validation-failed'],
    });
    expect(await ofOperation('{ orders { id } }', { token: 'bad' })).toMatchObject({
      status: 401,
      errors: 1,
      error_codes: ['invalid-jwt'],
    });
    expect(await lineOf((headers) => gateway.send('/nowhere', { headers }))).toMatchObject({
      status: 404,
      error_codes: ['not-found'],
    });
  });

  test('of a login has the role of the public and no user', async () => {
    const line = await ofOperation(LOGIN, { token: undefined, variables: GOOD_LOGIN });
    expect(line).toMatchObject({ operation_name: 'auth_user_login', role: 'anonymous', errors: 0 });
    expect(line).not.toHaveProperty('user_id');
    expect(line).not.toHaveProperty('tenant_id');
  });

  test('of a batch lists its operations and what they add up to', async () => {
    const batch = [
      { query: 'query A { orders { id } }' },
      { query: '{ orders { item } }' },
      { query: '{ order(id: "broken") { id } }' },
    ];
    const line = await lineOf((headers) => gateway.post('/v1/graphql', batch, { ...bearer(token), ...headers }));
    expect(line).toMatchObject({
      batch_size: 3,
      operations: [{ type: 'query', name: 'A' }, { type: 'query' }, { type: 'query' }],
      sources: [{ name: 'orders', calls: 3 }],
      errors: 1,
      error_codes: ['BROKEN'],
    });
    expect(line).not.toHaveProperty('operation_name');
  });

  test('of a REST endpoint names its saved operation', async () => {
    const line = await lineOf((headers) =>
      gateway.send('/api/rest/orders', { headers: { ...bearer(token), ...headers } }),
    );
    expect(line).toMatchObject({
      path: '/api/rest/orders',
      operation_name: 'orders',
      tenant_id: '1',
      sources: [ORDERS_SOURCE],
      errors: 0,
    });
    expect(
      await lineOf((headers) => gateway.send('/api/rest/orders/broken', { headers: { ...bearer(token), ...headers } })),
    ).toMatchObject({ errors: 1, error_codes: ['BROKEN'] });
  });

  test('of a request that is passed through has the caller and the service', async () => {
    const line = await lineOf((headers) => gateway.send('/files/a.csv', { headers: { ...bearer(token), ...headers } }));
    expect(line).toMatchObject({
      role: 'user',
      user_id: '7',
      sources: [{ ...ORDERS_SOURCE, name: 'files', kind: 'service' }],
    });
    expect(line).not.toHaveProperty('operation_type');
  });

  test('of the metadata API has the admin', async () => {
    const headers = { 'x-hasura-admin-secret': 'the admin secret' };
    const line = await lineOf((own) => gateway.post('/v1/metadata', { type: 'nonsense' }, { ...headers, ...own }));
    expect(line).toMatchObject({ role: 'admin', error_codes: ['not-supported'] });
  });
});

describe('the log', () => {
  test('has no token, no document, no value of a variable and no secret', async () => {
    await ofOperation('query Q($id: ID!) { order(id: $id) { id alias_of_the_document: item } }', {
      variables: { id: 'value-of-a-variable' },
    });
    await ofOperation('{ order(id: "value-of-an-argument") { id } }', { headers: { cookie: 'value-of-a-cookie' } });
    await lineOf((headers) =>
      gateway.send('/api/rest/orders/1?secret=value-of-a-query', { headers: { ...bearer(token), ...headers } }),
    );
    expect(gateway.logs()).not.toMatch(/value-of-|alias_of_the_document|the admin secret/);
    expect(gateway.logs()).not.toContain(token.split('.')[2]);
    expect(gateway.logs()).not.toContain(GOOD_LOGIN.password);
  });

  // Each of them would begin a line, act on a terminal, or show something as something else.
  const HOSTILE = 'x\u0085\u009b31m\u2028\u2029\u202e\u200b\ufeff"},{"level":"fatal\\';

  test.each(['apollographql-client-name', 'apollographql-client-version', 'graphql-client-name'])(
    'has no line and no control character of the header %s',
    async (name) => {
      const before = gateway.logs().length;
      const line = await ofBytes('/v1/graphql?query=%7B__typename%7D', { [name]: HOSTILE });
      expect(line[name.endsWith('name') ? 'client_name' : 'client_version']).toBe('x??31m?????"},{"level":"fatal\\');
      expect(gateway.logs().slice(before)).not.toMatch(/[^\n\x20-\x7e]/);
    },
  );

  test('shortens long names', async () => {
    const name = 'a'.repeat(5_000);
    const line = await ofOperation(`query ${name} { orders { id } }`, {
      headers: { 'apollographql-client-name': name },
    });
    expect(line.operation_name).toBe(`${'a'.repeat(127)}\u2026`);
    expect(line.client_name).toBe(`${'a'.repeat(63)}\u2026`);
    expect(JSON.stringify(line).length).toBeLessThan(1_000);
  });

  test('has nothing of what claims say that could act on a terminal', async () => {
    const hostile = issuer.token({ hasura: { 'x-hasura-user-id': `7\u009b2J\u202e${'u'.repeat(500)}` } });
    const line = await ofOperation('{ orders { id } }', { token: hostile });
    expect([line.status, line.user_id]).toEqual([200, `7?2J?${'u'.repeat(122)}\u2026`]);
    const admin = { 'x-hasura-admin-secret': 'the admin secret', 'x-hasura-role': 'user\u009b\u202e' };
    expect((await ofBytes('/v1/graphql?query=%7B__typename%7D', admin)).role).toBe('user??');
  });

  test('shortens a long path', async () => {
    const line = await ofBytes(`/nowhere${'p'.repeat(5_000)}`);
    expect(line.path).toMatch(/^\/nowherep{1015}\u2026$/);
  });

  test('lists few codes of a service that makes up many', async () => {
    const errors = Array.from({ length: 500 }, (_, at) => ({
      message: 'x',
      path: ['orders'],
      extensions: { code: `C${at}\u009b${'c'.repeat(300)}` },
    }));
    platform.orders.instead = (_, response) => reply(response, 200, { data: { orders: null }, errors });
    const line = await ofOperation('{ orders { id } }').finally(() => {
      platform.orders.instead = undefined;
    });
    expect(line.errors).toBe(500);
    expect(line.error_codes).toHaveLength(10);
    expect(JSON.stringify(line)).toMatch(/"C9\?c{60,64}\u2026"/);
  });

  test.each([
    ['a connection that breaks', (_: unknown, response: ServerResponse) => void response.destroy(), 'connection'],
    ['a server error', (_: unknown, response: ServerResponse) => reply(response, 500, {}), 'server-error'],
  ])('says of a source how it failed: %s', async (_, instead, outcome) => {
    platform.orders.instead = instead;
    const line = await ofOperation('mutation { placeOrder(item: "nut", quantity: 1) { id } }').finally(() => {
      platform.orders.instead = undefined;
    });
    expect(line).toMatchObject({
      sources: [{ name: 'orders', outcome }],
      errors: 1,
      error_codes: ['remote-schema-error'],
    });
  });
});

test('without the level info there are no such lines', async () => {
  const quiet = await keep(openPlatform({ environment: { HASURA_GRAPHQL_LOG_LEVEL: 'warn' } }));
  await quiet.gateway.graphql('{ orders { id } }', { token: quiet.issuer.token() });
  expect(quiet.gateway.logs()).not.toContain('http-log');
});

describe('a subscription', () => {
  const query = 'subscription Ticks { count(to: 2) { number } }';
  const MEMBERS = {
    operation_type: 'subscription',
    operation_name: 'Ticks',
    role: 'user',
    tenant_id: '1',
    user_id: '7',
  };

  async function openFeed() {
    const service = await keep(graphqlWsService());
    const own = await keep(openIssuer());
    const metadata = { 'remote_schemas.yaml': [{ name: 'feed', definition: { url: service.url } }] };
    const opened = await keep(openGateway({ issuer: own, metadata }));
    return { opened, headers: bearer(own.token()), service };
  }

  test('over a WebSocket has a line at its start and one at its end', async () => {
    const { opened, headers } = await openFeed();
    const client = await keep(wsClient(opened.url, { headers: { ...headers, 'apollographql-client-name': 'shop' } }));
    const subscribed = client.subscribe(query);
    await subscribed.ended();
    const lines = await until('both are logged', () => {
      const found = linesWith({ type: 'operation-log' }, opened.logs());
      return found.length === 2 ? found : undefined;
    });
    expect(lines).toMatchObject([
      { ...MEMBERS, event: 'subscription.started', client_name: 'shop', events: 0 },
      { ...MEMBERS, event: 'operation.ended', client_name: 'shop', events: 2, errors: 0, sources: [{ name: 'feed' }] },
    ]);
    const [start, end] = lines;
    expect(start?.operation_id).toBe(end?.operation_id);
    expect(end?.duration_ms).toBeGreaterThan(0);
  });

  test('over a WebSocket that is refused, and a query there, have one line each', async () => {
    const { opened, headers } = await openFeed();
    const client = await keep(wsClient(opened.url, { headers }));
    await client.subscribe('subscription Wrong { nonsense }').ended();
    await client.subscribe('query Q { __typename }').ended();
    const lines = await until('both are logged', () => {
      const found = linesWith({ event: 'operation.ended' }, opened.logs());
      return found.length === 2 ? found : undefined;
    });
    expect(lines).toMatchObject([
      { operation_name: 'Wrong', errors: 1, error_codes: ['validation-failed'] },
      { operation_name: 'Q', operation_type: 'query', errors: 0 },
    ]);
  });

  test('over an event stream has a line at its start, and its request has the end', async () => {
    const { opened, headers } = await openFeed();
    await sseClient(opened.url, headers).subscribe(query).ended();
    const [end] = await until('the end is logged', () => {
      const found = linesWith({ type: 'http-log', operation_name: 'Ticks' }, opened.logs());
      return found.length > 0 ? found : undefined;
    });
    expect(end).toMatchObject({ ...MEMBERS, status: 200, events: 2, errors: 0, sources: [{ name: 'feed' }] });
    expect(linesWith({ event: 'subscription.started' }, opened.logs())).toMatchObject([
      { ...MEMBERS, request_id: end?.request_id },
    ]);
  });
});
