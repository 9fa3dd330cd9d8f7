import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import {
  bearer,
  endpoint,
  GOOD_LOGIN,
  graphqlUpstream,
  type Handler,
  keeper,
  LOGIN,
  openGateway,
  openPlatform,
  reply,
  until,
} from './harness/index.ts';

const { keep, close } = keeper();
afterAll(close);
const platform = await keep(
  openPlatform({
    metadata: {
      'rest_endpoints.yaml': [
        endpoint('login', 'login', ['POST']),
        endpoint('orders', 'orders', ['GET']),
        endpoint('order', 'orders/:id', ['GET']),
      ],
    },
  }),
);
const { issuer, gateway, orders, accounts } = platform;
const token = issuer.token();
beforeEach(() => {
  platform.forget();
  orders.instead = undefined;
  accounts.instead = undefined;
});

function remotes(urls: Record<string, string>, more: Record<string, unknown> = {}) {
  const list = Object.entries(urls).map(([name, url]) => ({ name, definition: { url, ...more } }));
  return { 'remote_schemas.yaml': list };
}

describe('a service that is down', () => {
  test('at the start keeps the gateway from being ready, and joins when it comes up', async () => {
    const late = await keep(graphqlUpstream('type Query { late: Int }', { Query: { late: () => 1 } }));
    await late.stop();
    const metadata = remotes({ late: late.graphqlUrl, orders: orders.graphqlUrl });
    const starting = await keep(openGateway({ issuer, metadata, waitUntilReady: false }));

    await until('the other service is there', async () => {
      const { status, body } = await starting.send<{ missing_sources: string[] }>('/readyz');
      expect(status).toBe(503);
      return body.missing_sources.join() === 'late';
    });
    expect(await starting.send('/healthz')).toMatchObject({
      status: 200,
      text: 'WARN: inconsistent objects in schema',
    });
    expect(await starting.send('/healthz?strict=true')).toMatchObject({
      status: 500,
      text: 'ERROR: inconsistent objects in schema',
    });
    expect((await starting.graphql('{ orders { id } }', { token })).body).toMatchObject({ data: { orders: [{}, {}] } });
    expect(await starting.graphql('{ late }', { token })).toMatchObject({
      status: 503,
      body: { errors: [{ extensions: { code: 'source-unavailable' } }] },
    });

    await late.start();
    await starting.ready();
    expect((await starting.graphql('{ late }', { token })).body).toEqual({ data: { late: 1 } });
    expect(await starting.send('/healthz')).toMatchObject({ status: 200, text: 'OK' });
    expect(starting.logs()).toContain('remote_schema.unavailable');
  });

  test('later gives an error that names it and no address, beside the data of the others', async () => {
    const shop = await keep(openPlatform({ issuer: { ...issuer, close: () => {} } as typeof issuer }));
    await shop.orders.stop();
    const { status, body, text } = await shop.gateway.graphql('{ account_count order(id: 1) { id } }', { token });
    expect(status).toBe(200);
    expect(body.data).toEqual({ account_count: 2, order: null });
    expect(body.errors).toEqual([
      {
        message: 'the service "orders" cannot be reached',
        path: ['order'],
        extensions: { path: '$', code: 'remote-schema-error', service: 'orders', reason: 'connection' },
      },
    ]);
    expect(text).not.toMatch(/127\.0\.0\.1|ECONNREFUSED|localhost/);
    expect(shop.gateway.logs()).toContain('ECONNREFUSED');

    const rest = await shop.gateway.send('/api/rest/orders', { headers: bearer(token) });
    expect([rest.status, rest.body]).toEqual([
      502,
      { path: '$', error: 'the service "orders" cannot be reached', code: 'remote-schema-error' },
    ]);
    await shop.orders.start();
    expect((await shop.gateway.graphql('{ order(id: 1) { id } }', { token })).body).toEqual({
      data: { order: { id: '1' } },
    });
  });

  test('does not lose me the data of the others when all of its fields must not be null', async () => {
    orders.instead = (_, response) => response.destroy();
    const { body } = await gateway.graphql('{ account_count orders { id } }', { token });
    expect(body).toMatchObject({ data: null, errors: [{ extensions: { service: 'orders' } }] });
    const nullable = await gateway.graphql('{ whoami order(id: 1) { id } }', { token });
    expect(nullable.body.data).toEqual({ whoami: '7', order: null });
  });
});

describe('a service that takes too long', () => {
  test('is given up after its timeout', async () => {
    const hanging = await keep(graphqlUpstream('type Query { slow: Int }'));
    hanging.instead = () => {};
    const saved = [{ name: 'saved', definition: { queries: [{ name: 'slow', query: '{ slow }' }] } }];
    const metadata = {
      ...remotes({ slow: hanging.graphqlUrl }, { timeout_seconds: 0.2 }),
      'query_collections.yaml': saved,
      'rest_endpoints.yaml': [endpoint('slow', 'slow', ['GET'])],
    };
    const impatient = await keep(openGateway({ issuer, metadata }));
    const { body } = await impatient.graphql('{ slow }', { token });
    expect(body.data).toEqual({ slow: null });
    expect(body.errors).toMatchObject([
      { message: 'the service "slow" did not respond in time', extensions: { service: 'slow', reason: 'timeout' } },
    ]);
    expect((await impatient.send('/api/rest/slow', { headers: bearer(token) })).status).toBe(504);
  });

  test('is not kept busy for a client that has gone', async () => {
    const gone = new Promise<void>((resolve) => {
      orders.instead = (_, response) => void response.once('close', resolve);
    });
    const leaving = new AbortController();
    const asking = fetch(`${gateway.url}/v1/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...bearer(token) },
      body: JSON.stringify({ query: '{ orders { id } }' }),
      signal: leaving.signal,
    }).catch((error: Error) => error.name);
    await until('the service is asked', () => orders.operations().length === 1);
    leaving.abort();
    expect(await asking).toBe('AbortError');
    await gone;
  });
});

describe('a service that breaks the protocol', () => {
  const violations: [string, string | object, string][] = [
    ['that is not JSON', '<html>502 Bad Gateway</html>', 'Remote server response is not valid JSON'],
    ['of nothing', '', 'Remote server response is not valid JSON'],
    ['without data', {}, 'Missing "data" field with no errors in response from remote'],
    ['that is null', 'null', 'Missing "data" field with no errors in response from remote'],
    ['that is a list', [], 'Missing "data" field with no errors in response from remote'],
    ['with data that is null', { data: null }, 'Received null "data" field with no errors in response from remote'],
    ['with errors that are none', { errors: [] }, 'Empty "errors" field in response from remote'],
    ['with errors that are no list', { errors: { a: 1 } }, 'Invalid "errors" field in response from remote'],
  ];

  test.each(violations)('by an answer %s is named', async (_, answer, message) => {
    orders.instead = (__, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(typeof answer === 'string' ? answer : JSON.stringify(answer));
    };
    const { status, body } = await gateway.graphql('{ order(id: 1) { id } }', { token });
    expect([status, body.data]).toEqual([200, { order: null }]);
    expect(body.errors).toMatchObject([
      { message, path: ['order'], extensions: { path: '$', code: 'remote-schema-error', service: 'orders' } },
    ]);
    expect((await gateway.send('/api/rest/orders/1', { headers: bearer(token) })).status).toBe(502);
  });
});

describe('an error that a service reports', () => {
  test('comes to me with its extensions, the service’s name and its place', async () => {
    const { status, body } = await gateway.graphql('{ a: order(id: "broken") { id } b: order(id: 1) { id } }', {
      token,
    });
    expect([status, body.data]).toEqual([200, { a: null, b: { id: '1' } }]);
    expect(body.errors).toMatchObject([
      { message: 'the order is broken', path: ['a'], extensions: { code: 'BROKEN', hint: 1, service: 'orders' } },
    ]);
  });

  test('without a code has ours', async () => {
    orders.instead = (_, response) => reply(response, 200, { data: null, errors: [{ message: 'no' }] });
    const { body } = await gateway.graphql('{ order(id: 1) { id } }', { token });
    expect(body.errors).toMatchObject([
      { message: 'no', extensions: { code: 'remote-schema-error', service: 'orders' } },
    ]);
  });

  test('cannot pretend to be of another service', async () => {
    const errors = [{ message: 'no', extensions: { service: 'accounts', code: 'X' } }];
    orders.instead = (_, response) => reply(response, 200, { data: null, errors });
    const { body } = await gateway.graphql('{ order(id: 1) { id } }', { token });
    expect(body.errors?.[0]?.extensions).toMatchObject({ service: 'orders', code: 'X' });
  });

  test('does not bring its stack trace along', async () => {
    const extensions = { code: 'X', stacktrace: ['Error: at /srv/orders.js:1'], exception: { stacktrace: ['at b'] } };
    orders.instead = (_, response) => reply(response, 200, { data: null, errors: [{ message: 'no', extensions }] });
    const { text } = await gateway.graphql('{ order(id: 1) { id } }', { token });
    expect(text).toContain('"code":"X"');
    expect(text).not.toMatch(/stacktrace|orders\.js|at b/);
  });
});

describe('what a service says about HTTP', () => {
  const wrong = { ...GOOD_LOGIN, password: 'wrong' };
  const late = { ...GOOD_LOGIN, password: 'late' };

  test('is the status of a REST endpoint, with the data as its body', async () => {
    const { status, body } = await gateway.post('/api/rest/login', wrong);
    expect([status, body]).toEqual([
      401,
      { auth_user_login: { success: false, error_message: 'refused', data: null } },
    ]);
  });

  test('may be when to come back, and no other header', async () => {
    const { status, headers } = await gateway.post('/api/rest/login', late);
    expect([status, headers['retry-after']]).toEqual([429, '30']);
    expect(headers).not.toHaveProperty('x-internal');
  });

  test('does not change the status of the GraphQL endpoint, and is not shown there', async () => {
    for (const accept of ['application/json', 'application/graphql-response+json']) {
      const { status, body } = await gateway.graphql(LOGIN, { variables: wrong, headers: { accept } });
      expect([status, body.data]).toEqual([200, { auth_user_login: { data: null } }]);
      expect(body).not.toHaveProperty('extensions');
    }
  });

  test.each<[string, unknown]>([
    ['a status that is none', { status: 99 }],
    ['a status out of range', { status: 700 }],
    ['a status that is a text', { status: '401' }],
    ['a status of responses without a body', { status: 304 }],
    ['no object', 'teapot'],
    ['nothing', null],
  ])('is passed over when it is %s', async (_, http) => {
    const data = { order: { id: '1', item: 'bolt' } };
    orders.instead = (__, response) => reply(response, 200, { data, extensions: { http } });
    const { status, body } = await gateway.send('/api/rest/orders/1', { headers: bearer(token) });
    expect([status, body]).toEqual([200, data]);
  });
});

describe('what a service is asked', () => {
  test('is only what I asked for of it', async () => {
    const query = 'query two($id: ID!) { order(id: $id) { item } account_count }';
    await gateway.graphql(query, { token, variables: { id: '1', unused: 'x' }, operationName: 'two' });
    const [toOrders] = orders.operations();
    expect(toOrders?.body.query).not.toContain('account_count');
    expect(toOrders?.body.query).toContain('item');
    expect(toOrders?.body.query).not.toContain('quantity');
    expect(Object.values(toOrders?.body.variables ?? {})).toEqual(['1']);
    expect(accounts.operations()).toHaveLength(1);
  });

  test('comes as one request for all of its fields', async () => {
    await gateway.graphql('{ a: order(id: 1) { id } b: orders { id } c: orders(first: 1) { item } }', { token });
    expect(orders.operations()).toHaveLength(1);
  });

  test('are the mutations in their order, one after the other', async () => {
    const events: string[] = [];
    const answerLater =
      (name: string, field: string, answer: unknown): Handler =>
      ({ text }, response) => {
        events.push(`${name} begins`);
        const [, key = field] = new RegExp(`(\\w+): ?${field}`).exec(text) ?? [];
        setImmediate(() => {
          events.push(`${name} ends`);
          reply(response, 200, { data: { [key]: answer } });
        });
      };
    orders.instead = answerLater('orders', 'placeOrder', { id: '1' });
    accounts.instead = answerLater('accounts', 'account_close', true);
    const place = 'placeOrder(item: "bolt", quantity: 1) { id }';
    const { body } = await gateway.graphql(`mutation { a: ${place} b: account_close c: ${place} }`, { token });
    expect(body).toEqual({ data: { a: { id: '1' }, b: true, c: { id: '1' } } });
    expect(events).toEqual(['orders', 'accounts', 'orders'].flatMap((name) => [`${name} begins`, `${name} ends`]));
  });
});
