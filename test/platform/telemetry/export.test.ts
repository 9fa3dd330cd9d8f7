import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { fixedAttributes, type Telemetry } from '../../../platform/telemetry/index.ts';
import { openOtlpTransport } from '../../../platform/telemetry/otlp-transport.ts';
import { until } from '../../gateway/harness/keep.ts';
import { openOtlpReceiver } from '../../otlp/index.ts';
import { telemetryOf } from './open-telemetry.ts';

const receiver = await openOtlpReceiver();
afterAll(() => receiver.close());
const opened: Telemetry[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((one) => one.stop()));
  receiver.clear();
  receiver.answerWith({ kind: 'accept' });
});

async function tracing(environment: NodeJS.ProcessEnv = {}, lines: string[] = []) {
  const telemetry = await telemetryOf(
    { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_BSP_SCHEDULE_DELAY: '10', ...environment },
    lines,
  );
  opened.push(telemetry);
  const { tracer } = telemetry;
  if (!tracer) throw new Error('tracing is off');
  return { telemetry, tracer };
}

/** Waits until it is known what becomes of this many spans: the stop itself waits a limited time for exports. */
async function stopAfter(spans: number, telemetry: Telemetry): Promise<void> {
  await until('it is known what becomes of the spans', () => {
    const { exported, dropped, failed } = telemetry.counts;
    return exported + dropped + failed >= spans;
  });
  await telemetry.stop();
}

const request = { name: 'POST /v1/graphql', headers: {}, isTrusted: false };

test('nothing is traced where no variable asks for it', async () => {
  const telemetry = await telemetryOf({});

  expect(telemetry.tracer).toBeUndefined();
});

test.each([
  ['OTEL_SDK_DISABLED', 'true'],
  ['OTEL_TRACES_EXPORTER', 'none'],
])('%s=%s switches tracing off', async (name, value) => {
  const telemetry = await telemetryOf({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, [name]: value });

  expect(telemetry.tracer).toBeUndefined();
});

test('a collector decodes spans with all that they hold', async () => {
  const { telemetry, tracer } = await tracing({
    OTEL_SERVICE_NAME: 'shop',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test,team=a%20b',
    OTEL_EXPORTER_OTLP_HEADERS: 'x-key=s%3Dcret',
    OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
  });
  const before = BigInt(Date.now()) * 1_000_000n;
  const root = tracer.startRequest(request);
  const child = root.startChild('POST', 'client', fixedAttributes({ 'server.port': 4000, 'server.address': 'orders' }));
  child.setAttribute('http.response.status_code', 503);
  child.setAttribute('ratio', 0.25);
  child.setAttribute('below', -3);
  child.setAttribute('cached', false);
  child.setAttribute('codes', ['one', 'zwei ☃']);
  child.setAttribute('long', 'x'.repeat(10_000));
  child.setAttribute('ratio', 0.5);
  child.addEvent('retry', { attempt: 1 });
  child.fail('503', 'schön kaputt');
  child.end();
  child.setAttribute('late', true);
  root.end();
  await stopAfter(2, telemetry);

  expect(receiver.problems).toEqual([]);
  expect(receiver.exports[0]?.headers).toMatchObject({ 'x-key': 's=cret', 'content-encoding': 'gzip' });
  const [inner, outer] = receiver.spans;
  expect(outer).toMatchObject({
    name: 'POST /v1/graphql',
    kind: 'server',
    traceId: root.traceId,
    spanId: root.spanId,
    parentSpanId: '',
    status: { code: 'unset' },
    resource: {
      'service.name': 'shop',
      'service.version': '1.2.3',
      'deployment.environment.name': 'test',
      team: 'a b',
    },
    scope: { name: 'portico', version: '1.2.3' },
  });
  expect(inner).toMatchObject({
    name: 'POST',
    kind: 'client',
    traceId: root.traceId,
    parentSpanId: root.spanId,
    attributes: {
      'server.port': 4000,
      'server.address': 'orders',
      'http.response.status_code': 503,
      ratio: 0.5,
      below: -3,
      cached: false,
      codes: ['one', 'zwei ☃'],
      'error.type': '503',
    },
    status: { code: 'error', message: 'schön kaputt' },
  });
  expect(inner?.attributes.late).toBeUndefined();
  expect(String(inner?.attributes.long).length).toBeLessThan(600);
  expect(inner?.events).toMatchObject([{ name: 'retry', attributes: { attempt: 1 } }]);
  // The clock of spans may be off by 2 ms, and that of the system is cut to whole ones.
  expect((outer?.start ?? 0n) >= before - 5_000_000n).toBe(true);
  expect((outer?.end ?? 0n) <= BigInt(Date.now() + 5) * 1_000_000n).toBe(true);
  expect((outer?.start ?? 0n) <= (inner?.start ?? 0n) && (inner?.end ?? 0n) <= (outer?.end ?? 0n)).toBe(true);
  expect(telemetry.counts).toEqual({ exported: 2, dropped: 0, failed: 0 });
});

test('a span with more than it may hold is exported with what fits and how much was left out', async () => {
  const { telemetry, tracer } = await tracing();
  const span = tracer.startRequest(request);
  for (let i = 0; i < 100; i++) span.setAttribute(`name-${i}`, 'x'.repeat(400));
  for (let i = 0; i < 1_000; i++) span.addEvent('event', { number: i, text: 'ü'.repeat(100) });
  span.end();
  await stopAfter(1, telemetry);

  expect(receiver.problems).toEqual([]);
  const [exported] = receiver.spans;
  expect(Object.keys(exported?.attributes ?? {})).toHaveLength(64);
  expect(exported?.events).toHaveLength(128);
  expect(exported?.dropped).toMatchObject({ attributes: 36, events: 872 });
});

describe('a trace that the sampler has not chosen', () => {
  const never = { OTEL_TRACES_SAMPLER: 'always_off' };

  test('is not exported', async () => {
    const { telemetry, tracer } = await tracing(never);
    const span = tracer.startRequest(request);
    span.startChild('call', 'client').end();
    span.end();
    await telemetry.stop();

    expect(span.isRecording).toBe(false);
    expect(span.headers).toEqual(['traceparent', `00-${span.traceId}-${span.spanId}-00`]);
    expect(receiver.exports).toEqual([]);
  });

  test.each([
    ['a failed one', { PORTICO_TRACES_KEEP_ERRORS: 'true' }, true, 2],
    ['one that did not fail', { PORTICO_TRACES_KEEP_ERRORS: 'true' }, false, 0],
    ['a slow one', { PORTICO_TRACES_KEEP_SLOW_MS: '40' }, false, 2],
    ['a quick one', { PORTICO_TRACES_KEEP_SLOW_MS: '400000' }, true, 0],
  ])('is kept by what it came to: %s', async (_which, settings, fails, expected) => {
    const { telemetry, tracer } = await tracing({ ...never, ...settings });
    const span = tracer.startRequest(request);
    span.startChild('call', 'client').end();
    if (fails) span.fail('500');
    span.end(performance.now() + 50);
    await stopAfter(expected, telemetry);

    expect(receiver.spans).toHaveLength(expected);
    expect(span.headers[1]).toMatch(/-00$/);
  });

  test.each([
    ['is kept', true, { exported: 129, dropped: 22, failed: 0 }],
    ['is not kept', false, { exported: 0, dropped: 0, failed: 0 }],
  ])(
    'and has more spans than are held counts them as dropped only where it is kept: %s',
    async (_which, fails, counts) => {
      const { telemetry, tracer } = await tracing({ ...never, PORTICO_TRACES_KEEP_ERRORS: 'true' });
      const span = tracer.startRequest(request);
      for (let i = 0; i < 150; i++) span.startChild('call', 'client').end();
      if (fails) span.fail('500');
      span.end();
      await stopAfter(counts.exported + counts.dropped, telemetry);

      expect(telemetry.counts).toEqual(counts);
    },
  );
});

describe('a collector that does not work', () => {
  const quick = { OTEL_EXPORTER_OTLP_TIMEOUT: '300' };

  test.each([
    ['refuses', { kind: 'refuse', status: 400 }],
    ['is overloaded', { kind: 'refuse', status: 503, retryAfter: 600 }],
    ['never answers', { kind: 'hang' }],
    ['cuts the connection', { kind: 'cut' }],
  ] as const)('that %s costs the spans and is said once', async (_what, answer) => {
    receiver.answerWith(answer);
    const lines: string[] = [];
    const { telemetry, tracer } = await tracing(quick, lines);
    tracer.startRequest(request).end();
    await until('the export has failed', () => telemetry.counts.failed === 1);
    tracer.startRequest(request).end();
    await until('the next export has failed', () => telemetry.counts.failed === 2);

    expect(lines.filter((line) => line.includes('traces.export_failed'))).toHaveLength(1);
    expect(telemetry.counts).toEqual({ exported: 0, dropped: 0, failed: 2 });
  });

  test('that is away costs the spans', async () => {
    const { telemetry, tracer } = await tracing({ ...quick, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' });
    tracer.startRequest(request).end();
    await stopAfter(1, telemetry);

    expect(telemetry.counts).toEqual({ exported: 0, dropped: 0, failed: 1 });
  });

  test('that answers what is no protobuf has taken the spans', async () => {
    receiver.answerWith({ kind: 'junk' });
    const { telemetry, tracer } = await tracing();
    tracer.startRequest(request).end();
    await stopAfter(1, telemetry);

    expect(telemetry.counts).toEqual({ exported: 1, dropped: 0, failed: 0 });
  });

  test('that rejects some is counted by what it says', async () => {
    receiver.answerWith({ kind: 'partial', rejected: 2, message: 'too old' });
    const lines: string[] = [];
    const { telemetry, tracer } = await tracing({}, lines);
    for (let i = 0; i < 5; i++) tracer.startRequest(request).end();
    await stopAfter(5, telemetry);

    expect(telemetry.counts).toEqual({ exported: 3, dropped: 0, failed: 2 });
    expect(lines.join('')).not.toContain('too old');
  });

  test('that is slow has a bounded queue before it: further spans are dropped and counted', async () => {
    receiver.answerWith({ kind: 'hang' });
    const { telemetry, tracer } = await tracing({
      ...quick,
      OTEL_EXPORTER_OTLP_TIMEOUT: '60000',
      OTEL_BSP_MAX_QUEUE_SIZE: '100',
      OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '10',
    });
    // Four batches are on their way, the queue holds a hundred spans.
    for (let i = 0; i < 1_000; i++) tracer.startRequest(request).end();

    expect(telemetry.counts).toEqual({ exported: 0, dropped: 860, failed: 0 });
    await telemetry.stop();
    expect(telemetry.counts.dropped).toBeGreaterThanOrEqual(960);
  });
});

test('an export that is given up at the stop leaves no timer that keeps the process alive', async () => {
  receiver.answerWith({ kind: 'hang' });
  const transport = await openOtlpTransport({
    url: `${receiver.url}/v1/traces`,
    headers: {},
    timeoutMs: 60_000,
    compression: 'none',
  });
  const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
  const sending = transport.send(new Uint8Array(0), 1);
  await until('the collector has it', () => receiver.exports.length === 1);
  const before = timers();
  transport.close();

  expect((await sending).error?.message).toBe('the export was given up');
  expect(timers()).toBeLessThanOrEqual(before);
});

test.each([
  ['its own', {}],
  ["the collector's", { retryAfter: 50 }],
])('the stop ends the pause before another try, %s, which keeps no process alive', async (_whose, more) => {
  receiver.answerWith({ kind: 'refuse', status: 503, ...more });
  const transport = await openOtlpTransport({
    url: `${receiver.url}/v1/traces`,
    headers: {},
    timeoutMs: 60_000,
    compression: 'none',
  });
  const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
  const before = timers();
  let outcome: Awaited<ReturnType<typeof transport.send>> | undefined;
  void transport.send(new Uint8Array(0), 1).then((result) => {
    outcome = result;
  });
  await until('the collector has refused it', () => receiver.exports.length === 1);
  await until('the pause has begun', () => timers() <= before);
  expect(outcome).toBeUndefined();
  transport.close();
  await until('the export is given up', () => outcome !== undefined);

  expect(outcome?.error?.message).toBe('the export was given up');
  expect(receiver.exports).toHaveLength(1);
});

test('an export leaves the client of node:http alone, whose streams are those of the server', async () => {
  const requests: unknown[] = [];
  const note = (message: unknown) => requests.push(message);
  subscribe('http.client.request.start', note);
  const { telemetry, tracer } = await tracing();
  tracer.startRequest(request).end();
  await stopAfter(1, telemetry);
  unsubscribe('http.client.request.start', note);

  expect(receiver.spans).toHaveLength(1);
  expect(requests).toEqual([]);
});

test('an answer that is cut off counts by its status', async () => {
  receiver.answerWith({ kind: 'half' });
  const { telemetry, tracer } = await tracing();
  tracer.startRequest(request).end();
  await stopAfter(1, telemetry);

  expect(telemetry.counts).toEqual({ exported: 1, dropped: 0, failed: 0 });
});

test('an export that is tried again after a pause arrives', async () => {
  receiver.answerWith({ kind: 'refuse', status: 503, retryAfter: 1 });
  const { telemetry, tracer } = await tracing();
  tracer.startRequest(request).end();
  await until('it is refused', () => receiver.exports.length === 1);
  receiver.answerWith({ kind: 'accept' });
  await until('it has arrived', () => telemetry.counts.exported === 1);

  expect(receiver.exports).toHaveLength(2);
});

describe('an export that is refused', () => {
  const open = (timeoutMs: number) =>
    openOtlpTransport({ url: `${receiver.url}/v1/traces`, headers: {}, timeoutMs, compression: 'none' });

  test('is sent again five times at most', async () => {
    receiver.answerWith({ kind: 'refuse', status: 503, retryAfter: 0 });
    const transport = await open(60_000);

    expect(await transport.send(new Uint8Array(0), 3)).toMatchObject({ rejected: 3, error: { code: 503 } });
    expect(receiver.exports).toHaveLength(6);
    transport.close();
  });

  test('is not sent again where the pause would end after its time', async () => {
    receiver.answerWith({ kind: 'refuse', status: 503, retryAfter: 3_600 });
    const transport = await open(60_000);

    expect(await transport.send(new Uint8Array(0), 3)).toMatchObject({ rejected: 3, error: { code: 503 } });
    expect(receiver.exports).toHaveLength(1);
    transport.close();
  });
});

test('a fifth export at a time is rejected, until the others have ended', async () => {
  receiver.answerWith({ kind: 'hang' });
  const transport = await openOtlpTransport({
    url: `${receiver.url}/v1/traces`,
    headers: {},
    timeoutMs: 60_000,
    compression: 'none',
  });
  const running = Array.from({ length: 4 }, () => transport.send(new Uint8Array(0), 1));

  expect(await transport.send(new Uint8Array(0), 1)).toMatchObject({
    rejected: 1,
    error: { message: 'Concurrent export limit reached' },
  });
  transport.close();
  await Promise.all(running);
  expect((await transport.send(new Uint8Array(0), 1)).error?.message).toBe('the export was given up');
});

test('changed defaults take effect, and variables win over them', async () => {
  const telemetry = await telemetryOf({ OTEL_RESOURCE_ATTRIBUTES: 'team=ours' });
  opened.push(telemetry);
  const defaults = {
    endpoint: `${receiver.url}/v1/traces`,
    headers: { 'x-key': 'k' },
    resourceAttributes: { team: 'theirs', region: 'north' },
    propagators: ['b3'],
    maxExportBatchSize: undefined,
  } as const;
  await telemetry.configure(defaults);
  const span = telemetry.tracer?.startRequest(request);
  span?.end();
  await telemetry.configure(undefined);

  expect(span?.headers).toEqual(['b3', `${span?.traceId}-${span?.spanId}-1`]);
  expect(telemetry.tracer).toBeUndefined();
  await until('the span has been exported', () => receiver.spans.length === 1);
  expect(receiver.spans[0]?.resource).toMatchObject({ team: 'ours', region: 'north', 'service.name': 'portico-test' });
  expect(receiver.exports[0]?.headers['x-key']).toBe('k');
});

describe('a span that is open while the configuration changes', () => {
  const endpoint = `${receiver.url}/v1/traces`;
  const defaults = { endpoint, headers: {}, resourceAttributes: {}, propagators: [], maxExportBatchSize: undefined };
  test('is exported as it is configured then, and what was counted before stays counted', async () => {
    const lines: string[] = [];
    const { telemetry, tracer } = await tracing({}, lines);
    tracer.startRequest(request).end();
    await until('the first span has been exported', () => telemetry.counts.exported === 1);
    const open = tracer.startRequest(request);
    tracer.startRequest(request).end();
    await telemetry.configure({ ...defaults, resourceAttributes: { region: 'north' } });

    // The replaced configuration has not exported its last span yet.
    expect(telemetry.counts.exported).toBeGreaterThanOrEqual(1);
    await until('its last span has been exported', () => telemetry.counts.exported === 2);
    open.end();
    await stopAfter(3, telemetry);
    const exported = receiver.spans.find(({ spanId }) => spanId === open.spanId);
    expect(exported?.resource).toMatchObject({ region: 'north' });
    expect(telemetry.counts).toEqual({ exported: 3, dropped: 0, failed: 0 });
    expect(lines).toEqual([]);
  });

  test('is counted as dropped where tracing is off then', async () => {
    const telemetry = await telemetryOf({});
    opened.push(telemetry);
    await telemetry.configure(defaults);
    const open = telemetry.tracer?.startRequest(request);
    await telemetry.configure(undefined);
    open?.end();

    expect(telemetry.counts).toEqual({ exported: 0, dropped: 1, failed: 0 });
    expect(receiver.exports).toEqual([]);
  });
});
