import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { openOtlpReceiver, type ReceivedSpan } from '../../otlp/index.ts';
import { graphqlUpstream, keeper, openGateway, openIssuer, type TestGateway, until } from '../harness/index.ts';

const { keep, close } = keeper();
afterAll(close);

const issuer = await keep(openIssuer());
const token = issuer.token();
const collector = await keep(openOtlpReceiver());
const users = await keep(graphqlUpstream('type Query { count: Int }', { Query: { count: () => 1 } }));
const metadata = {
  'remote_schemas.yaml': [{ name: 'users', definition: { url: users.graphqlUrl, forward_client_headers: true } }],
};
const open = (environment: Record<string, string>) =>
  keep(
    openGateway({
      issuer,
      metadata,
      environment: {
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_BSP_SCHEDULE_DELAY: '10',
        PORTICO_TRACE_RESPONSE: 'true',
        HASURA_GRAPHQL_LOG_LEVEL: 'warn',
        ...environment,
      },
    }),
  );
const everybody = await open({ PORTICO_TRACE_TRUST: 'all', OTEL_PROPAGATORS: 'tracecontext,baggage,b3,b3multi' });
const behindProxy = await open({ PORTICO_TRUSTED_PROXIES: '1' });

beforeEach(() => {
  collector.clear();
  users.forget();
});

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const SPAN_ID = 'b7ad6b7169203331';
const context = {
  traceparent: `00-${TRACE_ID}-${SPAN_ID}-01`,
  tracestate: 'vendor=1,other=2',
  baggage: 'tenant=7,region=north',
};

/** Sends a request. @returns its span, and the headers that the service has received. */
async function ask(gateway: TestGateway, headers: Readonly<Record<string, string>>) {
  const { headers: answered } = await gateway.graphql('{ count }', { token, headers });
  const [, traceId = '', spanId] = String(answered.traceresponse).split('-');
  const span = await until('the span is there', () => collector.spans.find((one) => one.spanId === spanId));
  return { traceId, span: span as ReceivedSpan, received: users.operations().at(-1)?.headers ?? {} };
}

describe('a caller that is not trusted', () => {
  test('begins a new trace with a link to its own, and its baggage is dropped', async () => {
    const { traceId, span, received } = await ask(behindProxy, context);

    expect(traceId).not.toBe(TRACE_ID);
    expect(span).toMatchObject({ parentSpanId: '', links: [{ traceId: TRACE_ID, spanId: SPAN_ID }] });
    expect(received.traceparent).toContain(traceId);
    expect(received).not.toHaveProperty('tracestate');
    expect(received).not.toHaveProperty('baggage');
  });

  test('cannot choose what is recorded', async () => {
    const { span } = await ask(behindProxy, { ...context, traceparent: `00-${TRACE_ID}-${SPAN_ID}-00` });

    expect(span.traceId).not.toBe(TRACE_ID);
  });
});

test('a request that came by a proxy continues its trace', async () => {
  const { traceId, span, received } = await ask(behindProxy, { ...context, 'x-forwarded-for': '203.0.113.7' });

  expect(traceId).toBe(TRACE_ID);
  expect(span).toMatchObject({ parentSpanId: SPAN_ID, links: [], traceState: context.tracestate });
  expect(received).toMatchObject({ tracestate: context.tracestate, baggage: context.baggage });
  expect(received.traceparent).toMatch(new RegExp(`^00-${TRACE_ID}-(?!${SPAN_ID})[0-9a-f]{16}-01$`));
});

test.each([
  ['b3', { b3: `${TRACE_ID}-${SPAN_ID}-1` }],
  ['b3 with a parent', { b3: `${TRACE_ID}-${SPAN_ID}-d-00f067aa0ba902b7` }],
  ['the headers of b3', { 'x-b3-traceid': TRACE_ID, 'x-b3-spanid': SPAN_ID, 'x-b3-sampled': '1' }],
])('a trace is continued by %s', async (_format, headers) => {
  const { traceId, span, received } = await ask(everybody, headers);

  expect([traceId, span.parentSpanId]).toEqual([TRACE_ID, SPAN_ID]);
  expect(received['x-b3-traceid']).toBe(TRACE_ID);
  expect(received.b3).toMatch(new RegExp(`^${TRACE_ID}-[0-9a-f]{16}-1$`));
  expect(received.traceparent).toContain(TRACE_ID);
});

describe('hostile headers reach no service and harm nothing', () => {
  const long = 'x'.repeat(6_000);
  test.each<readonly [string, Readonly<Record<string, string>>]>([
    ['a traceparent that is too long', { traceparent: `00-${TRACE_ID}-${SPAN_ID}-01-${long}` }],
    ['an invalid version', { traceparent: `ff-${TRACE_ID}-${SPAN_ID}-01` }],
    ['capital letters', { traceparent: `00-${TRACE_ID.toUpperCase()}-${SPAN_ID}-01` }],
    ['ids of zeros', { traceparent: `00-${'0'.repeat(32)}-${'0'.repeat(16)}-01` }],
    ['two traceparents in one', { traceparent: `${context.traceparent},${context.traceparent}` }],
    [
      'bytes beyond ASCII',
      { traceparent: `00-${TRACE_ID}-${SPAN_ID}-0\u00e9`, b3: '\u00ff\u00fe', baggage: 'a=\u00e9' },
    ],
    ['tabs and quotes', { traceparent: `\t"${TRACE_ID}"`, baggage: 'a="b"\t;c', tracestate: 'a=\tb' }],
    ['a long b3', { b3: `${TRACE_ID}-${long}` }],
    ['a b3 of nothing', { b3: '-'.repeat(100), 'x-b3-traceid': '-', 'x-b3-spanid': long }],
  ])('%s', async (_what, headers) => {
    const { traceId, span, received } = await ask(everybody, headers);

    expect(traceId).not.toBe(TRACE_ID);
    expect(span).toMatchObject({ parentSpanId: '', links: [] });
    expect(received.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
    expect(received).not.toHaveProperty('baggage');
    expect(JSON.stringify(received)).not.toContain('xxxx');
  });

  test('of a thousand members of baggage those are passed on that a header holds', async () => {
    const baggage = Array.from({ length: 1_000 }, (_, i) => `m${i}=v`).join(',');
    const { received } = await ask(everybody, { ...context, baggage });

    expect(String(received.baggage).split(',')).toHaveLength(64);
  });

  test('a tracestate of too many members is dropped, its trace is continued', async () => {
    const tracestate = Array.from({ length: 33 }, (_, i) => `m${i}=v`).join(',');
    const { traceId, received } = await ask(everybody, { ...context, tracestate });

    expect(traceId).toBe(TRACE_ID);
    expect(received).not.toHaveProperty('tracestate');
  });
});

describe('the share of traces that is recorded', () => {
  const REQUESTS = 400;
  /** Ids whose last 8 bytes, which decide, are spread evenly. */
  const traceParent = (i: number) =>
    `00-${'a'.repeat(16)}${((BigInt(i) << 64n) / BigInt(REQUESTS)).toString(16).padStart(16, '0')}-${SPAN_ID}-00`;

  test.each(['0.5', '0.25'])('is %s, 5 %% to either side', async (share) => {
    const gateway = await open({
      PORTICO_TRACE_TRUST: 'all',
      OTEL_TRACES_SAMPLER: 'traceidratio',
      OTEL_TRACES_SAMPLER_ARG: share,
    });
    const flags: string[] = [];
    for (let i = 0; i < REQUESTS; i += 20)
      flags.push(
        ...(await Promise.all(
          Array.from({ length: 20 }, async (_, more) => {
            const headers = { traceparent: traceParent(i + more) };
            const answer = await gateway.send('/v1/version', { headers });
            return String(answer.headers.traceresponse).slice(-2);
          }),
        )),
      );
    const recorded = flags.filter((flag) => flag === '01').length;
    const ofRequests = () => collector.spans.filter(({ kind }) => kind === 'server');
    await until('they are exported', () => ofRequests().length === recorded);

    const expected = Number(share) * REQUESTS;
    expect(Math.abs(recorded - expected)).toBeLessThanOrEqual(expected * 0.05);
  });
});
