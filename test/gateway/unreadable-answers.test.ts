import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { changingUpstream } from './harness/changing-upstream.ts';
import { bearer, endpoint, keeper, openGateway, openIssuer, reply } from './harness/index.ts';

const { keep, close } = keeper();
afterAll(close);
const issuer = await keep(openIssuer());
const orders = await keep(changingUpstream('type Query { orders: Int }', { Query: { orders: () => 1 } }));
const users = await keep(changingUpstream('type Query { users: Int }', { Query: { users: () => 2 } }));
const queries = [
  { name: 'orders', query: 'query { orders }' },
  { name: 'both', query: 'query { orders users }' },
];
const gateway = await keep(
  openGateway({
    issuer,
    metadata: {
      'remote_schemas.yaml': [
        { name: 'orders', definition: { url: orders.graphqlUrl } },
        { name: 'users', definition: { url: users.graphqlUrl } },
      ],
      'query_collections.yaml': [{ name: 'saved', definition: { queries } }],
      'rest_endpoints.yaml': queries.map(({ name }) => endpoint(name, name, ['GET'])),
    },
  }),
);
const token = issuer.token();
beforeEach(() => {
  orders.instead = undefined;
  users.instead = undefined;
});

function ordersAnswers(text: string): void {
  orders.instead = (_, response) => response.end(text);
}

const UNREADABLE = 'a service returned a response that is not valid JSON';

/** They look like data and nothing else until somebody reads them. */
const BROKEN = ['{"data":{"orders":}}', '{"data":{"orders":1}}}', '{"data":{"orders":1}} {"data":{}}'];

describe('an answer that only looks like data', () => {
  test.each(BROKEN)('is an error where it is put together with what another service got wrong: %s', async (text) => {
    ordersAnswers(text);
    users.instead = (_, response) => reply(response, 200, { errors: [{ message: 'closed' }] });
    const { body } = await gateway.graphql('{ orders users }', { token });
    expect(body).toMatchObject({ data: null, errors: [{ message: UNREADABLE }, { message: 'closed' }] });
    const rest = await gateway.send('/api/rest/both', { headers: bearer(token) });
    expect([rest.status, rest.body]).toEqual([502, { path: '$', error: UNREADABLE, code: 'remote-schema-error' }]);
  });

  test.each(BROKEN)('is an error in a batch: %s', async (text) => {
    ordersAnswers(text);
    const { body } = await gateway.post('/v1/graphql', [{ query: '{ orders }' }], bearer(token));
    expect(body).toMatchObject([{ data: null, errors: [{ message: UNREADABLE }] }]);
  });

  test('is an error of a saved operation', async () => {
    ordersAnswers('{"data":{"orders":1}}}');
    const { status, body } = await gateway.send('/api/rest/orders', { headers: bearer(token) });
    expect([status, body]).toEqual([502, { path: '$', error: UNREADABLE, code: 'remote-schema-error' }]);
  });
});

test('an answer without any member leaves no hole in what is put together', async () => {
  ordersAnswers('{"data":{ }}');
  expect((await gateway.graphql('{ orders users }', { token })).body).toEqual({ data: { users: 2 } });
});

test.each(['"text"', '["a","b"]', '1', 'null'])(
  '`extensions` of an error that are no object are left out: %s',
  async (value) => {
    ordersAnswers(`{"data":null,"errors":[{"message":"closed","extensions":${value}}]}`);
    const { body } = await gateway.graphql('{ orders }', { token });
    expect(body.errors?.map((error) => error.extensions)).toEqual([
      { path: '$', code: 'remote-schema-error', service: 'orders' },
    ]);
  },
);

test.each([['a\r\nset-cookie: b=c'], ['一'], ['5'.repeat(5_000)], [{}], [[1]], [true]])(
  'a header that a service asks for and no response can have: %j',
  async (value) => {
    ordersAnswers(JSON.stringify({ data: { orders: 1 }, extensions: { http: { headers: { 'retry-after': value } } } }));
    const { status, headers, body } = await gateway.graphql('{ orders }', { token });
    expect([status, headers['retry-after'], body]).toEqual([200, undefined, { data: { orders: 1 } }]);
  },
);

test('a service or its proxy that fails in HTML is logged by its status', async () => {
  orders.instead = (_, response) => response.writeHead(502, { 'content-type': 'text/html' }).end('<html>');
  const before = gateway.logs().length;
  const { body } = await gateway.graphql('{ orders }', { token });
  expect(body).toMatchObject({ data: { orders: null }, errors: [{ path: ['orders'] }] });
  const logged = gateway.logs().slice(before);
  expect(logged).toContain('"event":"upstream.call_failed","source":"orders","status":502,"reason":"status 502"');
  expect(logged).not.toContain('upstream.invalid_response');
});
