import { afterAll, beforeEach, expect, test } from '@jest/globals';
import { openOtlpReceiver, type ReceivedSpan } from '../../otlp/index.ts';
import { graphqlUpstream, keeper, openGateway, openIssuer, reply, until, webhook } from '../harness/index.ts';

const { keep, close } = keeper();
afterAll(close);

const issuer = await keep(openIssuer());
const collector = await keep(openOtlpReceiver());
const users = await keep(
  graphqlUpstream('type Query { users: [User] user(id: Int): User } type User { id: Int name: String }', {
    Query: { users: () => [7, 8].map((id) => ({ id })), user: (_, { id }) => ({ id, name: `user ${id}` }) },
    User: { name: ({ id }) => `user ${id}` },
  }),
);
const orders = await keep(
  graphqlUpstream('type Query { orders: [Order] fail: Int } type Order { id: Int owner: Int }', {
    Query: {
      orders: () => [{ id: 1, owner: 7 }],
      fail: () => {
        throw new Error('broken');
      },
    },
  }),
);
const hook = await keep(webhook(() => ({ id: 3 })));
const metadata = {
  'remote_schemas.yaml': [
    { name: 'users', definition: { url: users.graphqlUrl } },
    {
      name: 'orders',
      definition: { url: orders.graphqlUrl, forward_client_headers: true },
      remote_relationships: [
        {
          type_name: 'Order',
          relationships: [
            {
              name: 'owned_by',
              definition: {
                to_remote_schema: {
                  remote_schema: 'users',
                  lhs_fields: ['owner'],
                  remote_field: { user: { arguments: { id: '$owner' } } },
                },
              },
            },
          ],
        },
      ],
    },
  ],
  'actions.yaml': {
    actions: [
      {
        name: 'place',
        definition: { kind: 'synchronous', type: 'mutation', handler: hook.url },
        permissions: [{ role: 'user' }],
      },
    ],
    custom_types: { objects: [{ name: 'Placed' }] },
  },
  'actions.graphql': 'type Mutation { place(item: String): Placed } type Placed { id: Int }',
  'query_collections.yaml': [
    {
      name: 'q',
      definition: { queries: [{ name: 'user', query: 'query User($id: Int) { user(id: $id) { name } }' }] },
    },
  ],
  'rest_endpoints.yaml': [
    {
      name: 'user',
      url: 'users/:id',
      methods: ['GET'],
      definition: { query: { collection_name: 'q', query_name: 'user' } },
    },
  ],
};
const tracing = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '10' };
const gateway = await keep(
  openGateway({ issuer, metadata, environment: { ...tracing, PORTICO_TRACE_RESPONSE: 'true' } }),
);
const token = issuer.token();

beforeEach(() => {
  collector.clear();
  users.forget();
  orders.forget();
  orders.instead = undefined;
});

/** The spans of a trace whose request has been answered: that of the request comes last. */
async function spansOf({ headers }: { headers: unknown }): Promise<readonly ReceivedSpan[]> {
  const [, traceId, spanId] = String((headers as Record<string, unknown>).traceresponse).split('-');
  await until('the trace has been exported', () => collector.spans.some((span) => span.spanId === spanId));
  return collector.spans.filter((span) => span.traceId === traceId);
}

const named = (spans: readonly ReceivedSpan[], name: string) => spans.find((span) => span.name === name);

test('a request is a trace: what it needed first, its call, and the span of the request', async () => {
  const query = 'query Names($id: Int) { user(id: $id) { name } }';
  const headers = { 'apollographql-client-name': 'shop', 'apollographql-client-version': '1.4' };
  const first = await gateway.graphql(query, { token: issuer.token(), variables: { id: 7 }, headers });
  const spans = await spansOf(first);

  expect(spans.map(({ name }) => name).sort()).toEqual([
    'POST /v1/graphql',
    'POST users',
    'authenticate',
    'plan',
    'validate',
  ]);
  const request = named(spans, 'POST /v1/graphql');
  expect(request).toMatchObject({
    kind: 'server',
    parentSpanId: '',
    status: { code: 'unset' },
    resource: { 'service.name': 'portico-gateway' },
    attributes: {
      'http.request.method': 'POST',
      'http.route': '/v1/graphql',
      'url.path': '/v1/graphql',
      'http.response.status_code': 200,
      'graphql.operation.name': 'Names',
      'graphql.operation.type': 'query',
      'portico.role': 'user',
      'portico.client.name': 'shop',
      'portico.client.version': '1.4',
    },
  });
  const call = named(spans, 'POST users');
  expect(call).toMatchObject({
    kind: 'client',
    parentSpanId: request?.spanId,
    attributes: {
      'http.request.method': 'POST',
      'server.address': '127.0.0.1',
      'server.port': users.port,
      'portico.source.name': 'users',
      'portico.source.kind': 'remote-schema',
      'http.response.status_code': 200,
    },
  });
  expect(users.operations()[0]?.headers.traceparent).toBe(`00-${request?.traceId}-${call?.spanId}-01`);
  // Nothing of the caller or of what it sent is there but names.
  expect(JSON.stringify(spans.map(({ attributes, name, events }) => ({ attributes, name, events })))).not.toMatch(
    /user 7|tenant|eyJ|Names\(|127\.0\.0\.1.*127\.0\.0\.1.*ip/,
  );

  const again = await spansOf(await gateway.graphql(query, { token, variables: { id: 8 }, headers }));
  const third = await spansOf(await gateway.graphql(query, { token, variables: { id: 8 }, headers }));
  expect(again.map(({ name }) => name)).not.toContain('validate');
  expect(third.map(({ name }) => name).sort()).toEqual(['POST /v1/graphql', 'POST users']);
});

test('log lines of a request have the ids of its trace', async () => {
  const [span] = await spansOf(await gateway.graphql('{ users { id } }', { token }));
  const lines = await until('the line is there', () => {
    const found = gateway
      .logs()
      .split('\n')
      .filter((line) => line.includes(span?.traceId ?? '-'));
    return found.length > 0 && found;
  });

  expect(lines.map((line) => JSON.parse(line).event)).toContain('request.completed');
});

test('a retry is an event of the call, and its cause', async () => {
  let refusals = 1;
  orders.instead = (_, response) =>
    refusals-- > 0 ? reply(response, 503, {}) : reply(response, 200, { data: { orders: [{ id: 1 }] } });
  const spans = await spansOf(await gateway.graphql('{ orders { id } }', { token }));

  expect(named(spans, 'POST orders')).toMatchObject({
    status: { code: 'unset' },
    attributes: { 'http.request.resend_count': 1, 'http.response.status_code': 200 },
    events: [{ name: 'retry', attributes: { 'portico.retry.cause': '503' } }],
  });
  expect(new Set(orders.operations().map(({ headers }) => headers.traceparent)).size).toBe(1);
});

test('a join has a span above what it asks for', async () => {
  const spans = await spansOf(await gateway.graphql('{ orders { id owned_by { name } } }', { token }));
  const join = named(spans, 'join');

  expect(join).toMatchObject({ kind: 'internal', attributes: { 'portico.join.requests': 1 } });
  expect(named(spans, 'POST users')).toMatchObject({ parentSpanId: join?.spanId });
  expect(named(spans, 'POST orders')).toMatchObject({ parentSpanId: named(spans, 'POST /v1/graphql')?.spanId });
});

test('an action receives the trace of its call', async () => {
  const spans = await spansOf(await gateway.graphql('mutation { place(item: "secret item") { id } }', { token }));

  const call = named(spans, 'POST place');
  expect(call?.attributes).toMatchObject({ 'portico.source.kind': 'action', 'portico.source.name': 'place' });
  expect(hook.requests.at(-1)?.headers.traceparent).toContain(call?.spanId);
});

test('a REST endpoint is named by its template', async () => {
  const answer = await gateway.send('/api/rest/users/7', { headers: { authorization: `Bearer ${token}` } });
  const spans = await spansOf(answer);

  expect(spans.at(-1)?.name).toBe('GET /api/rest/users/:id');
  expect(spans.at(-1)?.attributes['url.path']).toBeUndefined();
});

test('a request that a service fails has failed, and one that its caller got wrong has not', async () => {
  orders.instead = (_, response) => reply(response, 500, { broken: true });
  const failed = await spansOf(await gateway.graphql('{ orders { id } }', { token }));
  const wrong = await spansOf(await gateway.graphql('{ nothing }', { token }));

  expect(named(failed, 'POST orders')).toMatchObject({
    status: { code: 'error' },
    attributes: { 'error.type': '500' },
  });
  expect(failed.at(-1)).toMatchObject({
    status: { code: 'error' },
    attributes: { 'error.type': 'remote-schema-error' },
  });
  expect(wrong.at(-1)).toMatchObject({
    status: { code: 'unset' },
    attributes: { 'portico.errors': 1, 'portico.error_codes': ['validation-failed'] },
  });
});

test('probes are not traced', async () => {
  await gateway.send('/healthz');
  const answer = await gateway.send('/readyz');
  await spansOf(await gateway.graphql('{ users { id } }', { token }));

  expect(answer.headers.traceresponse).toBeUndefined();
  expect(collector.spans.filter(({ name }) => name.startsWith('GET'))).toEqual([]);
});
