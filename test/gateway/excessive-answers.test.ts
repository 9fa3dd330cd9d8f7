import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { changingUpstream } from './harness/changing-upstream.ts';
import { bearer, endpoint, keeper, openGateway, openIssuer, reply, webhook } from './harness/index.ts';

const { keep, close } = keeper();
afterAll(close);
const issuer = await keep(openIssuer());
const TYPES = `
  directive @defer(if: Boolean! = true, label: String) on FRAGMENT_SPREAD | INLINE_FRAGMENT
  scalar JSON type Query { orders: JSON parcels: JSON } type Subscription { placed: JSON }`;
const orders = await keep(changingUpstream(TYPES, { Query: { orders: () => 1, parcels: () => 2 } }));
const users = await keep(changingUpstream('type Query { users: Int }', { Query: { users: () => 2 } }));
let hookAnswers: string;
let hookStatus: number;
const hook = await keep(
  webhook((_, response) => {
    response.writeHead(hookStatus);
    response.end(hookAnswers);
  }),
);
const queries = [{ name: 'orders', query: 'query { orders }' }];
const gateway = await keep(
  openGateway({
    issuer,
    metadata: {
      'remote_schemas.yaml': [
        { name: 'orders', definition: { url: orders.graphqlUrl, subscriptions: { protocol: 'sse' } } },
        { name: 'users', definition: { url: users.graphqlUrl } },
      ],
      'actions.yaml': {
        actions: [{ name: 'bill', definition: { type: 'query', handler: hook.url }, permissions: [{ role: 'user' }] }],
        custom_types: { objects: [{ name: 'Bill' }] },
      },
      'actions.graphql': 'type Query { bill: Bill } type Bill { total: String }',
      'query_collections.yaml': [{ name: 'saved', definition: { queries } }],
      'rest_endpoints.yaml': queries.map(({ name }) => endpoint(name, name, ['GET'])),
    },
  }),
);
const token = issuer.token();
beforeEach(() => {
  hookStatus = 200;
  orders.instead = undefined;
  users.instead = undefined;
});

function ordersAnswers(text: string): void {
  orders.instead = (_, response) => response.end(text);
}

/** Nested more deeply than `JSON.stringify` can write, and less deeply than `JSON.parse` can read. */
const DEEP = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
const OMITTED = 'services reported further errors, which are omitted';
const UNWRITABLE = 'a service returned a response that is not valid JSON';

describe('more errors than are relayed', () => {
  const MANY = JSON.stringify({ data: null, errors: Array(50_000).fill({ message: 'closed' }) });

  test('are cut off, and said to be, also where each concerns several fields', async () => {
    ordersAnswers(MANY);
    for (const document of ['{ orders }', '{ orders parcels a: orders b: orders }']) {
      const { body } = await gateway.graphql(document, { token });
      expect(body.errors?.length).toBeLessThan(1_100);
      expect(body.errors?.[999]?.message).toBe('closed');
    }
    const { body } = await gateway.graphql('{ orders }', { token });
    expect(body.errors?.at(-1)?.message).toBe(OMITTED);
  });

  test('are cut off where fields of several services are stitched', async () => {
    const errors = Array.from({ length: 2_000 }, (_, at) => ({ message: `closed ${at}` }));
    ordersAnswers(JSON.stringify({ data: null, errors }));
    const stitched = '{ ...some @include(if: true) ...some parcels users } fragment some on Query { orders }';
    const { body } = await gateway.graphql(stitched, { token });
    expect(body.data).toEqual({ orders: null, parcels: null, users: 2 });
    expect([body.errors?.length, body.errors?.at(-1)?.message]).toEqual([1_001, OMITTED]);
  });

  test('say all the same which fields they made null', async () => {
    ordersAnswers(MANY);
    const { body } = await gateway.graphql('{ orders parcels users }', { token });
    expect(body.data).toEqual({ orders: null, parcels: null, users: 2 });
    expect(new Set(body.errors?.map(({ path }) => path?.[0]))).toEqual(new Set(['orders', 'parcels']));
  });
});

describe('texts of errors that are longer than anybody reads', () => {
  const HUGE = 'x'.repeat(500_000);
  const LONG_ERROR = { message: HUGE, path: ['orders', HUGE], extensions: { code: HUGE, kind: 'shut', more: [HUGE] } };
  const CUT = /^x+… \(49\d{4} more characters\)$/;

  test('are cut, and say how much is missing', async () => {
    ordersAnswers(JSON.stringify({ data: null, errors: [LONG_ERROR] }));
    for (const document of [
      '{ orders }',
      '{ orders users }',
      '{ ...some @include(if: true) users } fragment some on Query { orders }',
    ]) {
      const { text, body } = await gateway.graphql(document, { token });
      expect(text.length).toBeLessThan(20_000);
      expect(body.errors?.[0]).toMatchObject({
        message: expect.stringMatching(CUT),
        extensions: { code: expect.stringMatching(CUT), kind: 'shut', service: 'orders' },
      });
    }
  });

  test('are cut where a webhook reports them', async () => {
    hookAnswers = JSON.stringify({ message: HUGE, code: HUGE });
    hookStatus = 400;
    const { body } = await gateway.graphql('{ bill { total } }', { token });
    expect(body.errors?.[0]).toMatchObject({
      message: expect.stringMatching(CUT),
      extensions: { code: expect.stringMatching(CUT) },
    });
  });
});

describe('what would take twenty times its length in memory', () => {
  const EMPTY = `[${'{},'.repeat(4_000_000)}{}]`;

  test('is not read, and the service is said to answer too much', async () => {
    ordersAnswers(`{"data":null,"errors":${EMPTY}}`);
    const { body } = await gateway.graphql('{ orders users }', { token });
    expect(body).toMatchObject({
      data: { orders: null, users: 2 },
      errors: [
        { message: 'the service "orders" returned a response that is too large', extensions: { reason: 'too-large' } },
      ],
    });
  });

  test('is not read as a part of a batch, nor from a webhook', async () => {
    ordersAnswers(`{"data":{"orders":${EMPTY}}}`);
    const { body } = await gateway.post('/v1/graphql', [{ query: '{ orders }' }], bearer(token));
    expect(body).toMatchObject([{ data: null, errors: [{ message: UNWRITABLE }] }]);
    hookAnswers = `{"total":${EMPTY}}`;
    expect((await gateway.graphql('{ bill { total } }', { token })).body).toMatchObject({
      data: { bill: null },
      errors: [{ message: 'not a valid json response from webhook' }],
    });
  });

  test('ends an event stream with an error where the service defers it', async () => {
    orders.instead = (_, response) => {
      response.writeHead(200, { 'content-type': 'multipart/mixed; boundary="-"' });
      response.write('\r\n---\r\n\r\n{"data":{"orders":1},"hasNext":true}\r\n---');
      response.end(`\r\n\r\n{"incremental":[{"path":[],"data":{"parcels":${EMPTY}}}],"hasNext":false}\r\n-----\r\n`);
    };
    const { text } = await gateway.send('/v1/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream', ...bearer(token) },
      body: JSON.stringify({ query: '{ orders ... @defer { parcels } }' }),
    });
    expect(text).toContain('{"data":{"orders":1},"hasNext":true}');
    expect(text).toContain('did not complete its response');
    expect(text).not.toContain('"incremental"');
    expect(text).toMatch(/event: complete\ndata:\n\n$/);
  });
});

describe('what is nested too deeply to be written', () => {
  test('is left out of the extensions of an error', async () => {
    ordersAnswers(`{"data":null,"errors":[{"message":"closed","extensions":{"code":"shut","more":${DEEP}}}]}`);
    const { status, body } = await gateway.graphql('{ orders }', { token });
    expect(status).toBe(200);
    expect(body.errors).toMatchObject([{ message: 'closed', extensions: { code: 'shut', service: 'orders' } }]);
  });

  test('and what has more values than errors have is left out too', async () => {
    const more = JSON.stringify(Array(20_000).fill([]));
    ordersAnswers(`{"data":null,"errors":[{"message":"closed","extensions":{"code":"shut","more":${more}}}]}`);
    const { body } = await gateway.graphql('{ orders }', { token });
    expect(body.errors?.[0]?.extensions).toEqual({ path: '$', code: 'shut', service: 'orders' });
  });

  test('is left out of those of a webhook, whose own data gives no internals away', async () => {
    hookAnswers = `{"total":${DEEP}}`;
    const { body } = await gateway.graphql('{ bill { total } }', { token });
    expect(body).toMatchObject({
      data: { bill: null },
      errors: [{ message: 'internal error', extensions: { code: 'unexpected' } }],
    });
  });

  test('fails its own operation of a batch only, with the code of services', async () => {
    ordersAnswers(`{"data":{"orders":${DEEP}}}`);
    const { status, body } = await gateway.post(
      '/v1/graphql',
      [{ query: '{ orders }' }, { query: '{ users }' }],
      bearer(token),
    );
    expect(status).toBe(200);
    expect(body).toMatchObject([
      { data: null, errors: [{ message: UNWRITABLE, extensions: { code: 'remote-schema-error' } }] },
      { data: { users: 2 } },
    ]);
  });

  test('is an error of a saved operation', async () => {
    ordersAnswers(`{"extensions":{},"data":{"orders":${DEEP}}}`);
    const { status, body } = await gateway.send('/api/rest/orders', { headers: bearer(token) });
    expect([status, body]).toEqual([502, { path: '$', error: UNWRITABLE, code: 'remote-schema-error' }]);
  });

  test.each(['text/event-stream', 'multipart/mixed;subscriptionSpec=1.0, application/json'])(
    'ends a stream of %s with an error, so that clients do not ask again',
    async (accept) => {
      orders.instead = (_, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.end(`event: next\ndata: {"data":{"placed":${DEEP}}}\n\nevent: complete\n\n`);
      };
      const { text } = await gateway.send('/v1/graphql', {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept, ...bearer(token) },
        body: JSON.stringify({ query: 'subscription { placed }' }),
      });
      expect(text).toContain('"internal error"');
      expect(text).toMatch(/event: complete\ndata:\n\n$|--graphql--\r\n$/);
    },
  );

  test('ends an event stream of an operation with @defer, where the service defers nothing', async () => {
    orders.instead = (_, response) => {
      response.writeHead(200, { 'content-type': 'multipart/mixed; boundary="-"' });
      response.end(`\r\n---\r\n\r\n{"data":{"orders":${DEEP}},"hasNext":false}\r\n-----\r\n`);
    };
    const { text } = await gateway.send('/v1/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream', ...bearer(token) },
      body: JSON.stringify({ query: '{ orders ... @defer { parcels } }' }),
    });
    expect(text).toContain('"internal error"');
    expect(text).toMatch(/event: complete\ndata:\n\n$/);
  });
});

describe('an answer that is no GraphQL response', () => {
  test.each(['[]', '"text"', '1', 'false'])('because its data is %s is an error', async (data) => {
    ordersAnswers(`{"data":${data}}`);
    const { body } = await gateway.graphql('{ orders users }', { token });
    expect(body).toMatchObject({
      data: { orders: null, users: 2 },
      errors: [{ message: 'Invalid "data" field in response from remote', path: ['orders'] }],
    });
  });

  test.each(['[{"a":1}]', '[null]', '["orders",1.5]', '[["orders"]]'])(
    'because an error is at %s has the error at its fields',
    async (path) => {
      ordersAnswers(`{"data":null,"errors":[{"message":"closed","path":${path}}]}`);
      const { body } = await gateway.graphql('{ orders }', { token });
      expect(body).toMatchObject({ data: { orders: null }, errors: [{ message: 'closed', path: ['orders'] }] });
    },
  );
});

test('a code that is no text is none of a saved operation', async () => {
  ordersAnswers('{"data":null,"errors":[{"message":"closed","extensions":{"code":{"a":1}}}]}');
  const { body } = await gateway.send('/api/rest/orders', { headers: bearer(token) });
  expect(body).toEqual({ path: '$', error: 'closed', code: 'unexpected' });
});

test.each(['"users":7', '"users" : 7', '"\\u0075sers":7', '"x":{},"users":7'])(
  'a service says nothing of what another one is asked for: %s',
  async (more) => {
    ordersAnswers(`{"data":{"orders":["users"],${more}}}`);
    expect((await gateway.graphql('{ users orders }', { token })).body).toEqual({
      data: { users: 2, orders: ['users'] },
    });
    expect((await gateway.graphql('{ orders users }', { token })).body).toEqual({
      data: { users: 2, orders: ['users'] },
    });
    users.instead = (_, response) => reply(response, 200, { data: { users: null }, errors: [{ message: 'closed' }] });
    const { body } = await gateway.graphql('{ users orders }', { token });
    expect(body.data).toEqual({ users: null, orders: ['users'] });
  },
);
