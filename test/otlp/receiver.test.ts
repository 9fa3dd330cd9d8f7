import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { until } from '../gateway/harness/keep.ts';
import { encode, openOtlpReceiver } from './index.ts';

const receiver = await openOtlpReceiver();
afterAll(() => receiver.close());
afterEach(() => {
  receiver.clear();
  receiver.answerWith({ kind: 'accept' });
});

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const SPAN_ID = 'b7ad6b7169203331';
const attribute = (key: string, value: Readonly<Record<string, unknown>>) => ({ key, value });
const bytesOf = (digits: string) => Buffer.from(digits, 'hex');

const SPAN = {
  traceId: bytesOf(TRACE_ID),
  spanId: bytesOf(SPAN_ID),
  parentSpanId: bytesOf('00f067aa0ba902b7'),
  traceState: 'vendor=1',
  flags: 1,
  name: 'POST /v1/graphql',
  kind: 2,
  startTimeUnixNano: '1700000000000000001',
  endTimeUnixNano: '1700000000500000001',
  attributes: [
    attribute('http.request.method', { stringValue: 'POST' }),
    attribute('http.response.status_code', { intValue: 200 }),
    attribute('list', { arrayValue: { values: [{ boolValue: true }, { doubleValue: 0.5 }] } }),
  ],
  events: [{ timeUnixNano: '1700000000000000002', name: 'retry', attributes: [attribute('n', { intValue: -1 })] }],
  links: [{ traceId: bytesOf('ff'.repeat(16)), spanId: bytesOf('ee'.repeat(8)) }],
  status: { code: 2, message: 'broken' },
  droppedEventsCount: 3,
};

const traces = (span: Readonly<Record<string, unknown>>) =>
  encode('ExportTraceServiceRequest', {
    resourceSpans: [
      {
        resource: { attributes: [attribute('service.name', { stringValue: 'gateway' })] },
        scopeSpans: [{ scope: { name: 'portico', version: '1' }, spans: [span] }],
      },
    ],
  });

const post = (
  path: string,
  body: Buffer,
  headers: Readonly<Record<string, string>> = {},
  signal: AbortSignal | null = null,
) =>
  fetch(`${receiver.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-protobuf', ...headers },
    body: new Uint8Array(body),
    signal,
  });

describe('the receiver of the tests', () => {
  test.each([
    ['as they are', (body: Buffer) => body, {}],
    ['compressed', gzipSync, { 'content-encoding': 'gzip' }],
  ])('reads spans, %s', async (_how, code, headers: Record<string, string>) => {
    const response = await post('/v1/traces', code(traces(SPAN)), headers);

    expect(response.status).toBe(200);
    expect(receiver.spans).toEqual([
      {
        resource: { 'service.name': 'gateway' },
        scope: { name: 'portico', version: '1' },
        traceId: TRACE_ID,
        spanId: SPAN_ID,
        parentSpanId: '00f067aa0ba902b7',
        traceState: 'vendor=1',
        flags: 1,
        name: 'POST /v1/graphql',
        kind: 'server',
        start: 1700000000000000001n,
        end: 1700000000500000001n,
        attributes: { 'http.request.method': 'POST', 'http.response.status_code': 200, list: [true, 0.5] },
        events: [{ name: 'retry', at: 1700000000000000002n, attributes: { n: -1 } }],
        links: [{ traceId: 'ff'.repeat(16), spanId: 'ee'.repeat(8), attributes: {} }],
        status: { code: 'error', message: 'broken' },
        dropped: { attributes: 0, events: 3, links: 0 },
      },
    ]);
    expect(receiver.exports).toMatchObject([{ path: '/v1/traces', answer: 'accept' }]);
  });

  test('reads metrics', async () => {
    const exemplar = { asDouble: 0.7, traceId: bytesOf(TRACE_ID), spanId: bytesOf(SPAN_ID) };
    const histogram = { count: 3, sum: 1.5, bucketCounts: [1, 2], explicitBounds: [0.5], exemplars: [exemplar] };
    const metrics = [
      {
        name: 'http.server.request.duration',
        unit: 's',
        histogram: { aggregationTemporality: 2, dataPoints: [histogram] },
      },
      { name: 'logins', sum: { aggregationTemporality: 1, isMonotonic: true, dataPoints: [{ asInt: 7 }] } },
      {
        name: 'heap',
        gauge: { dataPoints: [{ asDouble: 2.5, attributes: [attribute('worker', { stringValue: '1' })] }] },
      },
    ];
    await post(
      '/v1/metrics',
      encode('ExportMetricsServiceRequest', { resourceMetrics: [{ scopeMetrics: [{ metrics }] }] }),
    );

    expect(receiver.problems).toEqual([]);
    expect(receiver.metrics).toMatchObject([
      {
        name: 'http.server.request.duration',
        unit: 's',
        type: 'histogram',
        temporality: 'cumulative',
        points: [
          {
            count: 3,
            sum: 1.5,
            bounds: [0.5],
            buckets: [1, 2],
            exemplars: [{ value: 0.7, traceId: TRACE_ID, spanId: SPAN_ID }],
          },
        ],
      },
      { name: 'logins', type: 'sum', temporality: 'delta', isMonotonic: true, points: [{ value: 7 }] },
      { name: 'heap', type: 'gauge', points: [{ value: 2.5, attributes: { worker: '1' } }] },
    ]);
  });

  test.each([
    ['no protobuf', Buffer.from('{"resourceSpans":[]}'), {}],
    ['another coding', traces(SPAN), { 'content-encoding': 'br' }],
    ['another type', traces(SPAN), { 'content-type': 'application/json' }],
    ['an id of the wrong length', traces({ ...SPAN, traceId: bytesOf('01') }), {}],
    ['an id of zeros', traces({ ...SPAN, spanId: Buffer.alloc(8) }), {}],
    ['no name', traces({ ...SPAN, name: '' }), {}],
    ['an end before its start', traces({ ...SPAN, endTimeUnixNano: '1' }), {}],
    ['an attribute twice', traces({ ...SPAN, attributes: [SPAN.attributes[0], SPAN.attributes[0]] }), {}],
    ['an unknown field', Buffer.concat([traces(SPAN), Buffer.from([0xfa, 0x06, 0x01, 0x01])]), {}],
  ])('refuses spans with %s', async (_what, body, headers: Record<string, string>) => {
    const response = await post('/v1/traces', body, headers);

    expect(response.status).toBe(400);
    expect(receiver.problems).toHaveLength(1);
    expect(receiver.spans).toEqual([]);
  });

  test('refuses as an overloaded collector does, and accepts again', async () => {
    receiver.answerWith({ kind: 'refuse', status: 503, retryAfter: 2 });
    const refused = await post('/v1/traces', traces(SPAN));
    receiver.answerWith({ kind: 'accept' });
    await post('/v1/traces', traces(SPAN));

    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '2']);
    expect(receiver.exports.map(({ answer }) => answer)).toEqual(['refuse', 'accept']);
    expect(receiver.spans).toHaveLength(1);
  });

  test('accepts a part, answers with junk, cuts the connection or never answers', async () => {
    receiver.answerWith({ kind: 'partial', rejected: 2, message: 'too many' });
    const partial = Buffer.from(await (await post('/v1/traces', traces(SPAN))).arrayBuffer());
    receiver.answerWith({ kind: 'junk' });
    const junk = await post('/v1/traces', traces(SPAN));
    receiver.answerWith({ kind: 'cut' });
    await expect(post('/v1/traces', traces(SPAN))).rejects.toThrow();
    receiver.answerWith({ kind: 'hang' });
    const unanswered = new AbortController();
    const hanging = post('/v1/traces', traces(SPAN), {}, unanswered.signal);
    await until('the export arrived', () => receiver.exports.at(-1)?.answer === 'hang');
    unanswered.abort();
    await expect(hanging).rejects.toThrow();

    expect(partial).toEqual(
      encode('ExportTraceServiceResponse', { partialSuccess: { rejectedSpans: 2, errorMessage: 'too many' } }),
    );
    expect(junk.status).toBe(200);
  });
});
