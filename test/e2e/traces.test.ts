import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { REVOCATION_SECRET } from '../auth-service/service.ts';
import { createWorld, type World } from '../auth-service/world.ts';
import { availableEngines } from '../database/index.ts';
import { type OrdersService, startOrders } from '../examples/orders/service.ts';
import { openGateway, openIssuer, type TestGateway, until } from '../gateway/harness/index.ts';
import { type OtlpReceiver, openOtlpReceiver, type ReceivedSpan } from '../otlp/index.ts';

const LOGIN = `mutation {
  auth_user_login(data: { username: "alice", password: "alice at acme", tenant_id: 1 }) { data { access_token } }
}`;
const SERVICES = ['portico-gateway', 'portico-auth-service', 'portico-orders'];

let next = 0;
/** The trace of a caller, which the gateway trusts here. */
function callersTrace() {
  const traceId = (++next).toString(16).padStart(32, '7');
  return { traceId, headers: { traceparent: `00-${traceId}-00f067aa0ba902b7-01` } };
}

/** The gateway with this repository's metadata, the auth service and the sample service, each exporting its spans. */
describe('one trace over all services', () => {
  let collector: OtlpReceiver;
  let world: World;
  let orders: OrdersService;
  let gateway: TestGateway;
  let token: string;

  beforeAll(async () => {
    collector = await openOtlpReceiver();
    const tracing = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '10' };
    const [engine = 'pglite'] = await availableEngines();
    world = await createWorld(engine, tracing);
    await world.addTenant(1, 'acme');
    await world.addUser(1, 'alice', 'alice at acme');
    orders = await startOrders(undefined, tracing);
    const { url } = world.service;
    const issuer = await openIssuer();
    gateway = await openGateway({
      issuer,
      environment: {
        ...tracing,
        HASURA_GRAPHQL_METADATA_DIR: 'metadata',
        HASURA_GRAPHQL_JWT_SECRET: JSON.stringify({ jwk_url: `${url}/.well-known/jwks.json` }),
        PORTICO_REVOCATION_URL: `${url}/revocations`,
        PORTICO_REVOCATION_SECRET: REVOCATION_SECRET,
        PORTICO_REVOCATION_INTERVAL_SECONDS: '1',
        PORTICO_TRACE_TRUST: 'all',
        AUTH_SERVICE_URL: url,
        ORDERS_URL: orders.url,
      },
    });
    await issuer.close();
    token = await login();
  });
  afterAll(async () => {
    await gateway?.close();
    await orders?.stop();
    await world?.close();
    await collector?.close();
  });
  beforeEach(() => collector.clear());

  async function login(): Promise<string> {
    const { body } = await gateway.graphql(LOGIN);
    const result = body.data?.auth_user_login as { data: { access_token: string } | null } | undefined;
    if (!result?.data) throw new Error('the login was refused');
    return result.data.access_token;
  }

  /** The spans of a trace, once the gateway's request, which ends last, has been exported, and `count` requests of services. */
  async function trace(traceId: string, count: number): Promise<readonly ReceivedSpan[]> {
    const ofTrace = () => collector.spans.filter((span) => span.traceId === traceId);
    const requests = () => ofTrace().filter(({ kind }) => kind === 'server');
    await until(`${count} requests of the trace have been exported`, () => requests().length >= count);
    expect(collector.problems).toEqual([]);
    return ofTrace();
  }

  /** Names from a span up to the caller's, each with its service. */
  function wayOf(spans: readonly ReceivedSpan[], from: ReceivedSpan | undefined): readonly string[] {
    if (!from) return [];
    const parent = spans.find(({ spanId }) => spanId === from.parentSpanId);
    return [`${from.resource['service.name']}: ${from.name}`, ...wayOf(spans, parent)];
  }
  const named = (spans: readonly ReceivedSpan[], name: string) => spans.find((span) => span.name === name);

  test('a login reaches from the gateway to the statements of the auth service', async () => {
    const { traceId, headers } = callersTrace();
    await gateway.graphql(LOGIN, { headers });

    const spans = await trace(traceId, 2);
    const login = [
      'portico-auth-service: POST /graphql',
      'portico-gateway: POST auth',
      'portico-gateway: POST /v1/graphql',
    ];
    expect(wayOf(spans, named(spans, 'open-session'))).toEqual(['portico-auth-service: open-session', ...login]);
    expect(wayOf(spans, named(spans, 'password compare'))).toEqual([
      'portico-auth-service: password compare',
      ...login,
    ]);
  });

  test('a query of two services, and a mutation with a webhook, are in the trace of their caller', async () => {
    const { traceId, headers } = callersTrace();
    const read = await gateway.graphql('{ orders { id } auth_user_me { user_id } }', { token, headers });
    const [{ id } = { id: '' }] = (read.body.data?.orders ?? []) as { id: string }[];
    const mutation =
      'mutation ($id: ID!) { placeOrder(item: "nut", quantity: 1) { id } cancelOrder(id: $id) { status } }';
    await gateway.graphql(mutation, { token, headers, variables: { id } });

    const spans = await trace(traceId, 6);
    expect(new Set(spans.map(({ resource }) => resource['service.name']))).toEqual(new Set(SERVICES));
    const servers = spans.filter(({ kind }) => kind === 'server').map((span) => wayOf(spans, span));
    const request = 'portico-gateway: POST /v1/graphql';
    expect(servers).toEqual(
      expect.arrayContaining([
        [request],
        ['portico-orders: POST /graphql', 'portico-gateway: POST orders', request],
        ['portico-auth-service: POST /graphql', 'portico-gateway: POST auth', request],
        ['portico-orders: POST /actions/cancel-order', 'portico-gateway: POST cancelOrder', request],
      ]),
    );
  });

  test('what is passed through is in the trace, and its log lines name it', async () => {
    const { traceId, headers } = callersTrace();
    await gateway.send('/api/orders', { headers: { ...headers, authorization: `Bearer ${token}` } });
    await gateway.send('/.well-known/jwks.json', { headers });

    const spans = await trace(traceId, 4);
    expect(wayOf(spans, named(spans, 'GET /orders'))).toEqual([
      'portico-orders: GET /orders',
      'portico-gateway: GET orders',
      'portico-gateway: GET /api/orders',
    ]);
    expect(wayOf(spans, named(spans, 'GET /.well-known/jwks.json'))).toEqual([
      'portico-auth-service: GET /.well-known/jwks.json',
      'portico-gateway: GET well_known',
      'portico-gateway: GET /.well-known',
    ]);
    await until('the sample service has logged it', () => orders.log.some(({ trace_id }) => trace_id === traceId));
    const inLog = (text: string) => text.split('\n').some((line) => line.includes(`"trace_id":"${traceId}"`));
    await until('the gateway has logged it', () => inLog(gateway.logs()));
    await until('the auth service has logged it', () => inLog(world.service.logs()));
  });

  test('a revoked token is refused in the trace, which has not failed by that', async () => {
    const own = await login();
    await gateway.graphql('mutation { auth_user_logout { success } }', { token: own });
    await until('the revocation is known', async () => {
      const answer = await gateway.send('/api/orders', { headers: { authorization: `Bearer ${own}` } });
      return answer.status === 401;
    });

    const { traceId, headers } = callersTrace();
    await gateway.graphql('{ orders { id } }', { token: own, headers });
    const spans = await trace(traceId, 1);
    const request = named(spans, 'POST /v1/graphql');
    expect(request).toMatchObject({
      status: { code: 'unset' },
      attributes: { 'portico.error_codes': ['invalid-jwt'] },
    });
    expect(spans.filter(({ kind }) => kind === 'client')).toEqual([]);
  });

  test('no span of any service holds a token, a name or a password', async () => {
    const { traceId, headers } = callersTrace();
    await gateway.graphql(LOGIN, { headers });
    await gateway.graphql('{ orders { id item } auth_user_me { user_id } }', { token, headers });
    const spans = await trace(traceId, 5);
    const text = JSON.stringify(spans, (_, value) => (typeof value === 'bigint' ? String(value) : value));
    for (const secret of ['alice', 'acme', token, REVOCATION_SECRET, 'Bearer', 'auth_user_login('])
      expect(text).not.toContain(secret);
  });
});
