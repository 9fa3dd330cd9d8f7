import { makeExecutableSchema } from '@graphql-tools/schema';
import { afterAll, afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { openOtlpReceiver, type ReceivedSpan } from '../../otlp/index.ts';
import { graphqlUpstream, keeper, openGateway, openIssuer, reply, serve, until } from '../harness/index.ts';
import { sseClient, wsClient } from '../subscriptions/clients.ts';
import { type FeedContext, openFeed } from '../subscriptions/feed.ts';
import { graphqlWsService } from '../subscriptions/services.ts';

const { keep, close } = keeper();
afterAll(close);

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const TRACE_PARENT = `00-${TRACE_ID}-00f067aa0ba902b7-01`;
/** What a client sends that wants to choose the trace, and to be carried on to services. */
const HOSTILE = { traceparent: TRACE_PARENT, tracestate: 'vendor=1', baggage: 'plan=gold', b3: '0' };

/** What the service was told, by headers, by `connection_init` and by the operation. */
const contexts: FeedContext[] = [];
const feed = openFeed((events) =>
  makeExecutableSchema<FeedContext>({
    typeDefs: 'type Query { a: Int } type Subscription { placed: Int }',
    resolvers: {
      Subscription: {
        placed: {
          subscribe: (_: unknown, __: unknown, context: FeedContext) => {
            contexts.push(context);
            return events();
          },
          resolve: () => 1,
        },
      },
    },
  }),
);

const issuer = await keep(openIssuer());
const collector = await keep(openOtlpReceiver());
const service = await keep(graphqlWsService(feed));
const ticks = await keep(graphqlUpstream('type Query { b: Int } type Subscription { ticked: Int }'));
const files = await keep(serve((_, response) => reply(response, 200, {})));
const metadata = {
  'remote_schemas.yaml': [
    { name: 'feed', definition: { url: service.url, forward_client_headers: true } },
    { name: 'ticks', definition: { url: ticks.graphqlUrl, subscriptions: { protocol: 'sse' } } },
  ],
  'services.yaml': [{ name: 'files', path: '/files', url: files.url, forward_client_headers: true }],
};
const tracing = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '10' };
const gateway = await keep(openGateway({ issuer, metadata, environment: tracing }));
/** Behind a proxy of ours, whose traces are continued. */
const trusting = await keep(
  openGateway({
    issuer,
    metadata,
    environment: { ...tracing, PORTICO_TRACE_TRUST: 'all', OTEL_TRACES_SAMPLER_ARG: '0' },
  }),
);
const token = issuer.token();
const authorization = `Bearer ${token}`;

afterEach(() => feed.complete());
beforeEach(() => {
  collector.clear();
  ticks.forget();
  contexts.length = 0;
  files.requests.length = 0;
});

/** A span, once it has been exported. */
async function exported(name: string): Promise<ReceivedSpan> {
  const found = await until(`the span "${name}" is exported`, () => collector.spans.find((span) => span.name === name));
  expect(collector.problems).toEqual([]);
  return found as ReceivedSpan;
}

const traceIdIn = (value: unknown) => String(value).split('-')[1];

describe('a subscription over a WebSocket', () => {
  test('is a span that lives with it and has its events; the service receives it in each place', async () => {
    const client = wsClient(gateway.url, { headers: { authorization } });
    const subscription = client.subscribe('subscription { placed }');
    await feed.waitFor(1);
    for (let count = 0; count < 3; count++) {
      feed.publish({});
      await subscription.next();
    }
    expect(collector.spans.filter(({ name }) => /subscri/i.test(name))).toEqual([]);
    subscription.stop();

    const operation = await exported('subscription');
    const stream = await exported('SUBSCRIBE feed');
    expect(operation).toMatchObject({
      kind: 'server',
      parentSpanId: '',
      attributes: {
        'graphql.operation.type': 'subscription',
        'portico.role': 'user',
        'portico.subscription.events': 3,
        'portico.subscription.end': 'client',
      },
    });
    expect(operation.events.map(({ name }) => name)).toEqual(['event', 'event', 'event']);
    expect(stream).toMatchObject({
      kind: 'client',
      traceId: operation.traceId,
      parentSpanId: operation.spanId,
      attributes: { 'portico.source.name': 'feed', 'portico.subscription.protocol': 'graphql-transport-ws' },
      status: { code: 'unset' },
    });
    const told = `00-${operation.traceId}-${stream.spanId}-01`;
    const [context] = contexts;
    expect(context?.headers.traceparent).toBe(told);
    expect(context?.init?.headers).toMatchObject({ traceparent: told });
    expect(context?.extensions).toMatchObject({ traceparent: told });
    await client.close();
  });

  test('keeps 128 events of many, and counts all', async () => {
    const client = wsClient(gateway.url, { headers: { authorization } });
    const subscription = client.subscribe('subscription { placed }');
    await feed.waitFor(1);
    for (let count = 0; count < 140; count++) feed.publish({});
    await until('all events have come', () => subscription.results.length === 140);
    feed.complete();
    expect(await subscription.ended()).toBe('complete');

    const operation = await exported('subscription');
    expect(operation.events).toHaveLength(128);
    expect(operation.dropped.events).toBe(12);
    expect(operation.attributes).toMatchObject({
      'portico.subscription.events': 140,
      'portico.subscription.end': 'completed',
    });
    await client.close();
  });

  test('whose service is lost has failed', async () => {
    const client = wsClient(gateway.url, { headers: { authorization } });
    const subscription = client.subscribe('subscription { placed }');
    await feed.waitFor(1);
    service.cut();
    await subscription.ended();

    expect((await exported('SUBSCRIBE feed')).attributes['error.type']).toBe('connection');
    expect(await exported('subscription')).toMatchObject({
      status: { code: 'error' },
      attributes: { 'portico.subscription.end': 'failed' },
    });
    await client.close();
  });

  test('each operation of a connection has a trace of its own, and its log lines name it', async () => {
    const client = wsClient(gateway.url, { headers: { authorization } });
    const results = [client.subscribe('{ a }'), client.subscribe('query Second { a }')];
    for (const result of results) await result.ended();

    await until('both are exported', () => collector.spans.filter(({ name }) => name === 'query').length === 2);
    const operations = collector.spans.filter(({ name }) => name === 'query');
    expect(new Set(operations.map(({ traceId }) => traceId)).size).toBe(2);
    for (const { traceId, spanId } of operations)
      await until('its line is in the log', () =>
        gateway
          .logs()
          .split('\n')
          .some((line) => line.includes('"operation.ended"') && line.includes(traceId) && line.includes(spanId)),
      );
    await client.close();
  });
});

test('a subscription over server-sent events is the span of its request; the service receives it in the headers', async () => {
  const client = sseClient(gateway.url, { authorization });
  const subscription = client.subscribe('subscription { placed }');
  await feed.waitFor(1);
  feed.publish({});
  await subscription.next();
  feed.complete();
  await subscription.ended();

  const request = await exported('POST /v1/graphql');
  const stream = await exported('SUBSCRIBE feed');
  expect(request.events.map(({ name }) => name)).toEqual(['event']);
  expect(request.attributes['portico.subscription.end']).toBe('completed');
  expect(stream.parentSpanId).toBe(request.spanId);
  await client.close();
});

test('a service that is asked for server-sent events receives the trace', async () => {
  ticks.instead = (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end('event: next\ndata: {"data":{"ticked":1}}\n\nevent: complete\ndata:\n\n');
  };
  const client = wsClient(gateway.url, { headers: { authorization } });
  expect(await client.subscribe('subscription { ticked }').ended()).toBe('complete');

  const stream = await exported('SUBSCRIBE ticks');
  expect(stream.attributes['portico.subscription.protocol']).toBe('sse');
  const [asked] = ticks.operations();
  const told = `00-${stream.traceId}-${stream.spanId}-01`;
  expect(asked?.headers.traceparent).toBe(told);
  expect(asked?.body).toMatchObject({ extensions: { traceparent: told } });
  await client.close();
});

describe('a client without a trusted proxy', () => {
  test('chooses no trace of a subscription, and its baggage goes nowhere', async () => {
    const init = { headers: { authorization, ...HOSTILE } };
    const client = wsClient(gateway.url, init, HOSTILE);
    const subscription = client.subscribe('subscription { placed }');
    await feed.waitFor(1);
    subscription.stop();

    const operation = await exported('subscription');
    expect(operation.traceId).not.toBe(TRACE_ID);
    expect(operation.links).toMatchObject([{ traceId: TRACE_ID }]);
    const [context] = contexts;
    expect(traceIdIn(context?.headers.traceparent)).toBe(operation.traceId);
    for (const told of [context?.headers, context?.init?.headers, context?.extensions]) {
      const text = JSON.stringify(told);
      for (const forged of [TRACE_ID, 'gold', 'vendor']) expect(text).not.toContain(forged);
    }
    await client.close();
  });

  test('nor of a request that is passed through', async () => {
    await gateway.send('/files/a', { headers: { authorization, ...HOSTILE } });

    const request = await exported('GET /files');
    const call = await exported('GET files');
    expect(request.traceId).not.toBe(TRACE_ID);
    expect(request.links).toMatchObject([{ traceId: TRACE_ID }]);
    expect(call).toMatchObject({
      kind: 'client',
      parentSpanId: request.spanId,
      attributes: { 'portico.source.kind': 'service', 'http.response.status_code': 200 },
    });
    const [received] = files.requests;
    expect(received?.headers.traceparent).toBe(`00-${request.traceId}-${call.spanId}-01`);
    for (const name of ['tracestate', 'baggage', 'b3']) expect(received?.headers[name]).toBeUndefined();
  });
});

test('a caller that is trusted has its trace continued, also by an operation of a WebSocket', async () => {
  const context = { traceparent: TRACE_PARENT, tracestate: 'vendor=1', baggage: 'plan=gold' };
  const client = wsClient(trusting.url, { headers: { authorization, ...context } });
  const subscription = client.subscribe('subscription { placed }');
  await feed.waitFor(1);
  subscription.stop();

  const operation = await exported('subscription');
  expect(operation).toMatchObject({ traceId: TRACE_ID, parentSpanId: '00f067aa0ba902b7', links: [] });
  expect(contexts[0]?.headers).toMatchObject({ tracestate: 'vendor=1', baggage: 'plan=gold' });
  await client.close();
});

test('a flood of sampled requests does not raise the sampling', async () => {
  const sampling = { ...tracing, OTEL_TRACES_SAMPLER_ARG: '0' };
  const untrusting = await openGateway({ issuer, metadata, environment: sampling });
  const sent = Array.from({ length: 20 }, () =>
    untrusting.send('/files/a', { headers: { authorization, ...HOSTILE } }),
  );
  for (const { status } of await Promise.all(sent)) expect(status).toBe(200);
  // What is left is exported when it stops.
  await untrusting.close();

  expect(collector.spans).toEqual([]);
  for (const { headers } of files.requests) expect(headers.traceparent).toMatch(/-00$/);
});

test('an authentication hook receives the trace of the request, and not of the client’s', async () => {
  const hook = await keep(serve((_, response) => reply(response, 200, { 'x-hasura-role': 'user' })));
  const environment = {
    ...tracing,
    HASURA_GRAPHQL_JWT_SECRET: undefined,
    HASURA_GRAPHQL_AUTH_HOOK: hook.url,
    HASURA_GRAPHQL_AUTH_HOOK_MODE: 'GET',
  };
  const hooked = await keep(openGateway({ issuer, metadata, environment }));
  await hooked.send('/files/a', { headers: { authorization, ...HOSTILE } });

  const request = await exported('GET /files');
  const call = await exported('GET auth-hook');
  expect(call).toMatchObject({ kind: 'client', traceId: request.traceId, parentSpanId: request.spanId });
  const headers: Record<string, unknown> = hook.requests.at(-1)?.headers ?? {};
  expect(headers.traceparent).toBe(`00-${request.traceId}-${call.spanId}-01`);
  expect(headers.baggage).toBeUndefined();
});

test('token keys are fetched in a trace of their own', async () => {
  const fresh = await openIssuer();
  const other = await openGateway({ issuer: fresh, metadata, environment: tracing });
  const fetching = await exported('fetch token keys');
  const call = await exported('GET jwks');
  await other.close();
  await fresh.close();

  expect(fetching).toMatchObject({ parentSpanId: '', kind: 'internal' });
  expect(call).toMatchObject({ parentSpanId: fetching.spanId, kind: 'client' });
});
