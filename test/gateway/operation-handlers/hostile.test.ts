import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createSession } from '../../../gateway/access/session/index.ts';
import { HandlerCounts, runHandler } from '../../../gateway/sources/index.ts';
import { Cancellation, createLogger } from '../../../platform/index.ts';
import { openOtlpReceiver } from '../../otlp/index.ts';
import { openEditedGateway } from '../harness/edited-gateway.ts';
import { freePort, keeper, openIssuer, send, until } from '../harness/index.ts';
import { collection, load } from '../metadata/load.ts';
import { action, CHECKOUT, CLERK_SCHEMA, openShop, run, shopMetadata, step } from './shop.ts';

const SDL = /* GraphQL */ `
  type Query {
    found(id: String!): Found
    mine: Asked
    big(count: Int!): Size
    nested(id: String!): Found
  }
  type Mutation {
    checkout(item: String!, pickup: Boolean! = false): Made
    one(item: String!): Made
    huge(count: Int!): Made
  }
  type Found {
    id: ID!
  }
  type Asked {
    role: String
    user: String
    tenant: String
  }
  type Size {
    count: Int
  }
  type Made {
    id: ID
  }
`;

const INPUT_ID = '{ "id": {{$body.input.id}} }';
const INPUT_ITEM = '{ "item": {{$body.input.item}} }';
const items = step('items', 'Items', { variables: '{ "count": {{$body.input.count}} }' });
const ACTIONS = [
  action('found', run('Item', { variables: INPUT_ID })),
  action('mine', run('Caller', { role: 'clerk' })),
  action('big', { role: 'clerk', steps: [items], response: '{ "count": {{size($steps.items)}} }' }),
  action('nested', run('CallFound', { variables: INPUT_ID })),
  action('checkout', CHECKOUT),
  action('one', run('Reserve', { variables: INPUT_ITEM, role: 'clerk' }), {
    resilience: { concurrency: { max_in_flight: 2, max_queue: 1, queue_timeout_seconds: 30 } },
  }),
  action('huge', {
    role: 'clerk',
    steps: [
      step('reserved', 'Reserve', {
        variables: '{ "item": "1" }',
        compensate: run('Release', { variables: '{ "id": {{$steps.reserved.id}} }' }),
      }),
      items,
    ],
    response: '{ "id": {{$steps.reserved.id}} }',
  }),
];

const { keep, close } = keeper();
afterAll(close);
const issuer = await keep(openIssuer());
const shop = await keep(openShop());
const collector = await keep(openOtlpReceiver());
const metricsPort = await freePort();
const METADATA = shopMetadata(SDL, ACTIONS);
const files = {
  ...METADATA,
  'query_collections.yaml': [
    ...METADATA['query_collections.yaml'],
    collection('calls', { CallFound: 'query ($id: String!) { found(id: $id) { id } }' }),
  ],
};
const actionsOf = (change: (one: ReturnType<typeof action>) => unknown) => ({ actions: ACTIONS.map(change) });
const inCalls = (one: ReturnType<typeof action>) =>
  one.name === 'nested'
    ? { ...one, definition: { handler: { ...run('CallFound', { variables: INPUT_ID }), collection: 'calls' } } }
    : one;
const gateway = await keep(
  openEditedGateway(
    { ...files, 'actions.yaml': actionsOf(inCalls) },
    {
      issuer,
      environment: {
        SHOP_URL: shop.graphqlUrl,
        PORTICO_UPSTREAM_MAX_RESPONSE_BYTES: '200000',
        PORTICO_METRICS_PORT: String(metricsPort),
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_BSP_SCHEDULE_DELAY: '10',
        PORTICO_TRACE_RESPONSE: 'true',
      },
    },
  ),
);
const token = issuer.token();
const call = (query: string, options = {}) => gateway.graphql(query, { token, ...options });
beforeEach(() => {
  shop.done.length = 0;
  shop.before = undefined;
  shop.forget();
});

describe('a hostile tenant', () => {
  test.each([
    '{{$session_variables}}',
    '"}} , "role": "admin"',
    '", "id": "8',
    '\\"}}',
    '$steps.secret',
    '{{ range i, x := $body }} {{x}} {{ end }}',
    '7") { id } secret item(id: "8',
  ])('cannot inject templates, JSON or GraphQL by an input: %j', async (id) => {
    const { body } = await call('query ($id: String!) { found(id: $id) { id } }', { variables: { id } });
    expect(body).toEqual({ data: { found: { id } } });
    expect(shop.operations()).toHaveLength(1);
    expect(shop.operations()[0]?.body.variables).toEqual({ id });
  });

  test('stays in its tenant and gets no other role, whatever its headers say', async () => {
    const headers = {
      'x-hasura-tenant-id': '2',
      'x-hasura-user-id': '1',
      'x-hasura-allowed-roles': 'admin',
      'x-portico-explain': 'true',
    };
    const { body } = await call('{ mine { role user tenant } }', { headers });
    expect(body.data).toEqual({ mine: { role: 'clerk', user: '7', tenant: '1' } });
    expect(body.extensions).toBeUndefined();
    const other = issuer.token({ hasura: { 'x-hasura-tenant-id': '2', 'x-hasura-user-id': '8' } });
    expect((await call('{ mine { role user tenant } }', { token: other })).body.data).toEqual({
      mine: { role: 'clerk', user: '8', tenant: '2' },
    });
  });

  test('a token without a tenant runs the handler without one', async () => {
    const without = issuer.token({ hasura: { 'x-hasura-tenant-id': undefined } });
    const { body } = await call('{ mine { role user tenant } }', { token: without });
    expect(body.data).toEqual({ mine: { role: 'clerk', user: '7', tenant: null } });
  });

  test('cannot start more chains at a time than the action permits, and slots are free afterwards', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let inFlight = 0;
    let most = 0;
    shop.before = async () => {
      inFlight++;
      most = Math.max(most, inFlight);
      await held;
      inFlight--;
    };
    const calls = Array.from({ length: 20 }, (_, item) => call(`mutation { one(item: "${item}") { id } }`));
    const refused = await until('calls are refused', async () => {
      const done = await Promise.all(calls.map((one) => Promise.race([one, Promise.resolve(undefined)])));
      const answers = done.filter((one) => one !== undefined);
      return answers.length === 17 && answers;
    });
    for (const { body, headers } of refused) {
      expect(body.errors?.[0]?.extensions).toEqual({ path: '$', code: 'upstream-overloaded', retry_after: 1 });
      expect(headers['retry-after']).toBe('1');
    }
    release();
    const all = await Promise.all(calls);
    expect(all.filter(({ body }) => body.errors === undefined)).toHaveLength(3);
    expect(most).toBe(2);
    shop.before = undefined;
    expect((await call('mutation { one(item: "x") { id } }')).body.data).toEqual({ one: { id: 'r-x' } });
  });

  test('a result that is too large is an error, and what happened before is undone', async () => {
    expect((await call('{ big(count: 100) { count } }')).body.data).toEqual({ big: { count: 100 } });
    const { body } = await call('mutation { huge(count: 1000) { id } }');
    expect(body.errors?.[0]?.extensions).toEqual({ path: '$', code: 'remote-schema-error', compensation: 'done' });
    expect(shop.done).toEqual(['reserve 1 of tenant 1', 'release r-1 of tenant 1']);
  });
});

test('a chain that runs during a reload may no longer do what the new metadata forbid, and is undone', async () => {
  const forbidding = CLERK_SCHEMA.replace('ship(id: ID!): Boolean', '');
  const [remote] = METADATA['remote_schemas.yaml'];
  const permissions = remote?.permissions.map((one) =>
    one.role === 'clerk' ? { role: 'clerk', definition: { schema: forbidding } } : one,
  );
  let status = 0;
  shop.before = async (field) => {
    if (field !== 'charge' || status !== 0) return;
    status = (
      await gateway.edit({
        'remote_schemas.yaml': [{ ...remote, permissions }],
        'actions.yaml': actionsOf((one) =>
          one.name === 'checkout' ? action('checkout', 'http://127.0.0.1:1/') : inCalls(one),
        ),
      })
    ).status;
  };
  const { body } = await call('mutation { checkout(item: "7") { id } }');
  expect(status).toBe(200);
  expect(body.errors?.[0]?.extensions).toEqual({ path: '$', code: 'validation-failed', compensation: 'done' });
  expect(shop.done.slice(1)).toEqual(['charge 12 of tenant 1', 'refund c-12 of tenant 1', 'release r-7 of tenant 1']);

  // New metadata is refused if no role may run one of its handlers.
  const refused = await gateway.edit({ 'actions.yaml': actionsOf(inCalls) });
  expect(refused.status).toBe(400);
  expect(JSON.stringify(refused.body)).toContain('the role \\"clerk\\" cannot run \\"shop/Ship\\" for \\"checkout\\"');
  expect((await gateway.edit({ ...files, 'actions.yaml': actionsOf(inCalls) })).status).toBe(200);
});

test('only the operation of the client counts for the rate limit', async () => {
  const limits = {
    rate_limit: { global: { max_reqs_per_min: 3, unique_params: 'IP' } },
  };
  expect((await gateway.edit({ 'api_limits.yaml': limits })).status).toBe(200);
  for (const item of ['1', '2', '3'])
    expect((await call(`mutation { checkout(item: "${item}") { id } }`)).body.errors).toBeUndefined();
  expect((await call('mutation { checkout(item: "4") { id } }')).status).toBe(429);
  expect((await gateway.edit({ 'api_limits.yaml': undefined })).status).toBe(200);
});

test('runs and compensations are in metrics and traces', async () => {
  shop.before = (field) => {
    if (field === 'ship') throw new Error('no truck');
  };
  const { headers } = await call('mutation { checkout(item: "7") { id } }');
  const { text } = await send(`http://127.0.0.1:${metricsPort}/metrics`);
  expect(text).toMatch(/portico_handler_runs_total\{kind="action",handler="checkout",outcome="error"\} [1-9]/);
  expect(text).toMatch(/portico_handler_compensations_total\{kind="action",handler="checkout",outcome="done"\} [1-9]/);
  expect(text).toMatch(/portico_upstream_calls_total\{service="checkout",kind="action",outcome="client-error"\} [1-9]/);
  const [, traceId = ''] = String(headers.traceresponse).split('-');
  const names = await until('the spans are there', () => {
    const spans = collector.spans.filter((span) => span.traceId === traceId).map(({ name }) => name);
    return spans.filter((name) => name === 'compensate step').length === 2 && spans;
  });
  expect(names.filter((name) => name === 'run step')).toHaveLength(4);
});

test('a handler that is nested too deeply fails, whatever the check of the metadata missed', async () => {
  const { operationHandlers } = load({
    'actions.graphql': 'type Query { a: Int }',
    'actions.yaml': { actions: [{ name: 'a', definition: { handler: { operation: 'x', collection: 'saved' } } }] },
    'query_collections.yaml': [collection('saved', { x: '{ b }' })],
  });
  const handler = operationHandlers.actions.get('a');
  if (!handler) throw new Error('the handler is missing');
  const outcome = await runHandler(
    handler,
    {
      body: {},
      session: createSession('user', {}),
      idempotencyKey: '1',
      timeoutMs: 1_000,
      cancellation: new Cancellation(),
      isRepeated: false,
      depth: 2,
      requestId: '1',
      clientAddress: '',
      clientHeaders: {},
      log: createLogger('gateway', 'silent'),
      span: undefined,
    },
    {
      run: () => {
        throw new Error('is not run');
      },
      maxDepth: 2,
      counts: new HandlerCounts(),
    },
  );
  expect(outcome).toMatchObject({ failure: { code: 'handler-depth-limit-exceeded' } });
});
