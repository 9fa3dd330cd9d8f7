import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { ActiveSpan } from '../../auth-service/active-span.ts';
import { openBcryptPool } from '../../auth-service/passwords/index.ts';
import {
  createLogger,
  GATEWAY_CREDENTIAL_HEADER,
  gatewayCredential,
  openTelemetry,
  otlpSettings,
  readSettings,
  tracingSettings,
} from '../../platform/index.ts';
import { availableEngines } from '../database/index.ts';
import { type OtlpReceiver, openOtlpReceiver, type ReceivedSpan } from '../otlp/index.ts';
import { REVOCATION_SECRET } from './service.ts';
import { until } from './until.ts';
import { createWorld, type World } from './world.ts';

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN_ID = '00f067aa0ba902b7';
const OF_GATEWAY = {
  [GATEWAY_CREDENTIAL_HEADER]: gatewayCredential(REVOCATION_SECRET),
  traceparent: `00-${TRACE_ID}-${SPAN_ID}-01`,
};
const LOGIN =
  'mutation { auth_user_login(data: { username: "alice", password: "alice at acme", tenant_id: 1 }) { success } }';

describe('traces of the auth service', () => {
  let receiver: OtlpReceiver;
  let world: World;

  beforeAll(async () => {
    receiver = await openOtlpReceiver();
    const [engine = 'pglite'] = await availableEngines();
    world = await createWorld(engine, {
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
      OTEL_BSP_SCHEDULE_DELAY: '10',
    });
    await world.addTenant(1, 'acme');
    await world.addUser(1, 'alice', 'alice at acme');
  });
  afterAll(async () => {
    await world.close();
    await receiver.close();
  });
  beforeEach(() => receiver.clear());

  /** The request's span and those below it, once they have arrived. */
  async function spansOfRequest(which: (span: ReceivedSpan) => boolean = () => true) {
    const isRequest = (span: ReceivedSpan) => span.kind === 'server' && which(span);
    await until('the span of a request arrives', () => receiver.spans.some(isRequest));
    const request = receiver.spans.find(isRequest) as ReceivedSpan;
    return { request, below: receiver.spans.filter(({ parentSpanId }) => parentSpanId === request.spanId) };
  }

  test('a login is a request with its password hash and its statements by name, in the trace of the gateway', async () => {
    await world.service.graphql(LOGIN, undefined, OF_GATEWAY);

    const { request, below } = await spansOfRequest();
    expect(receiver.problems).toEqual([]);
    expect(request).toMatchObject({
      name: 'POST /graphql',
      traceId: TRACE_ID,
      parentSpanId: SPAN_ID,
      links: [],
      status: { code: 'unset' },
      attributes: { 'http.request.method': 'POST', 'http.route': '/graphql', 'http.response.status_code': 200 },
      resource: { 'service.name': 'portico-auth-service' },
    });
    expect(new Set(below.map(({ traceId }) => traceId))).toEqual(new Set([TRACE_ID]));
    const named = new Map(below.map((span) => [span.name, span]));
    expect([...named.keys()]).toEqual(expect.arrayContaining(['find-account', 'password compare', 'open-session']));
    expect(named.get('find-account')).toMatchObject({
      kind: 'client',
      attributes: { 'db.system.name': 'postgresql', 'db.operation.name': 'find-account' },
    });
    expect(named.get('password compare')?.attributes['portico.queue.wait_ms']).toBeGreaterThanOrEqual(0);
    for (const span of below) {
      expect(span.start).toBeGreaterThanOrEqual(request.start);
      expect(span.end).toBeLessThanOrEqual(request.end);
    }
  });

  test('spans hold neither statements nor values', async () => {
    await world.service.graphql(LOGIN, undefined, { ...OF_GATEWAY, 'x-forwarded-for': '203.0.113.9' });

    const { request, below } = await spansOfRequest();
    const text = JSON.stringify([request, below], (_, value) => (typeof value === 'bigint' ? String(value) : value));
    for (const secret of ['alice', 'acme', 'SELECT', 'auth_user_login', '203.0.113.9', REVOCATION_SECRET])
      expect(text).not.toContain(secret);
  });

  test.each([
    ['no credential', {}],
    ['a wrong credential', { [GATEWAY_CREDENTIAL_HEADER]: gatewayCredential('another secret') }],
    ['the secret itself', { [GATEWAY_CREDENTIAL_HEADER]: REVOCATION_SECRET }],
  ])('a caller with %s does not choose the trace', async (_who, headers: Record<string, string>) => {
    const { traceparent } = OF_GATEWAY;
    await world.service.graphql('{ __typename }', undefined, { traceparent, ...headers });

    const { request } = await spansOfRequest();
    expect(request.traceId).not.toBe(TRACE_ID);
    expect(request.parentSpanId).toBe('');
    expect(request.links).toEqual([{ traceId: TRACE_ID, spanId: SPAN_ID, attributes: {} }]);
  });

  test('a trace that the gateway does not record is not recorded here', async () => {
    const unsampled = { ...OF_GATEWAY, traceparent: `00-${TRACE_ID}-${SPAN_ID}-00` };
    await world.service.graphql('{ __typename }', undefined, unsampled);
    await world.service.graphql('{ __typename }', undefined, OF_GATEWAY);

    await spansOfRequest();
    expect(receiver.spans.filter(({ kind }) => kind === 'server')).toHaveLength(1);
  });

  test('each log line of a request has its trace and its span', async () => {
    await world.service.graphql(LOGIN, undefined, OF_GATEWAY);

    const { request } = await spansOfRequest();
    const lines = () =>
      world.service
        .logs()
        .split('\n')
        .filter((line) => line.includes(request.spanId))
        .map((line) => JSON.parse(line));
    await until('the request is logged', () => lines().some(({ event }) => event === 'request.completed'));
    expect(lines().map(({ event }) => event)).toEqual(['login.succeeded', 'request.completed']);
    for (const line of lines()) expect(line).toMatchObject({ trace_id: TRACE_ID, span_id: request.spanId });
  });

  test('what is asked every few seconds has no spans', async () => {
    for (const path of ['/healthz', '/readyz', '/revocations']) await fetch(`${world.service.url}${path}`);
    await fetch(`${world.service.url}/nowhere/${TRACE_ID}`);

    const { request, below } = await spansOfRequest();
    expect(receiver.spans).toEqual([request]);
    expect(below).toEqual([]);
    expect(request).toMatchObject({ name: 'GET', attributes: { 'http.response.status_code': 404 } });
  });
});

test('a computation that the queue of hashes refuses says so', async () => {
  const receiver = await openOtlpReceiver();
  const settings = readSettings({ ...otlpSettings, ...tracingSettings }, { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url });
  const log = createLogger('test', 'silent');
  const telemetry = await openTelemetry({ settings, serviceName: 'test', serviceVersion: '', log });
  const activeSpan = new ActiveSpan();
  const pool = openBcryptPool({ threads: 1, queueLimit: 0, cost: 4, activeSpan });
  const request = telemetry.tracer?.startRoot('request');
  if (!request) throw new Error('tracing is off');

  const [computed, refused] = await activeSpan.run(request, () =>
    Promise.allSettled([pool.hash('one', 4), pool.hash('two', 4)]),
  );
  await telemetry.stop();
  await pool.close();
  await receiver.close();

  expect([computed.status, refused.status]).toEqual(['fulfilled', 'rejected']);
  expect(receiver.spans.map(({ name, attributes }) => [name, attributes['error.type']])).toEqual([
    ['password hash', 'queue_full'],
    ['password hash', undefined],
  ]);
});
