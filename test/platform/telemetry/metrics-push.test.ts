import { afterEach, describe, expect, test } from '@jest/globals';
import {
  counter,
  createLogger,
  Durations,
  durationHistogram,
  gauge,
  type Metric,
  ofWorkers,
  oneGauge,
  readSettings,
} from '../../../platform/index.ts';
import {
  type MetricsPush,
  metricsPushConfig,
  metricsPushSettings,
  openMetricsPush,
  otlpSettings,
} from '../../../platform/telemetry/index.ts';
import { openTelemetryName } from '../../../platform/telemetry/metrics/names.ts';
import { until } from '../../auth-service/until.ts';
import { type OtlpReceiver, openOtlpReceiver, type ReceivedMetric } from '../../otlp/index.ts';

const opened: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

const configOf = (environment: NodeJS.ProcessEnv) =>
  metricsPushConfig(readSettings({ ...otlpSettings, ...metricsPushSettings }, environment), 'portico-test');

async function receiver(): Promise<OtlpReceiver> {
  const collector = await openOtlpReceiver();
  opened.push(() => collector.close());
  return collector;
}

interface Source {
  logins: number;
  waiting: number;
  readonly durations: Durations;
}

function source(): Source {
  return { logins: 3, waiting: 2, durations: new Durations([10, 100]) };
}

function metricsOf({ logins, waiting, durations }: Source): readonly Metric[] {
  return [
    counter('portico_auth_logins_total', 'Logins.', ['outcome'], [{ labels: { outcome: 'success' }, value: logins }]),
    gauge('db_client_connection_count', 'Connections.', ['state'], [{ labels: { state: 'used' }, value: waiting }]),
    durationHistogram(
      'http_server_request_duration_seconds',
      'Requests.',
      ['http_request_method', 'http_response_status_code'],
      durations.boundsMs,
      [durations.sample({ http_request_method: 'POST', http_response_status_code: '200' })],
    ),
    oneGauge('process_memory_usage_bytes', 'Memory.', 1.5),
  ];
}

/** A push of `from` by these settings. Log lines go to `lines`. */
async function push(from: Source, environment: NodeJS.ProcessEnv, lines: string[] = []): Promise<MetricsPush> {
  const config = configOf({ OTEL_METRIC_EXPORT_INTERVAL: '100', ...environment });
  if (!config) throw new Error('metrics are not pushed');
  const pushing = await openMetricsPush({
    config,
    serviceVersion: '1.2.3',
    collect: () => metricsOf(from),
    log: createLogger('test', 'info', { write: (line) => void lines.push(line) }),
  });
  opened.push(() => pushing.stop());
  return pushing;
}

const named = (metrics: readonly ReceivedMetric[], name: string) => metrics.filter((metric) => metric.name === name);
const last = (metrics: readonly ReceivedMetric[], name: string) => named(metrics, name).at(-1);

describe('a collector', () => {
  test('is pushed the metrics by the names of the semantic conventions, with their units', async () => {
    const collector = await receiver();
    const from = source();
    from.durations.add(5);
    from.durations.add(50, { traceId: 'ab'.repeat(16), spanId: 'cd'.repeat(8), isSampled: true });
    from.durations.add(500);
    await push(from, {
      OTEL_METRICS_EXPORTER: 'otlp',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20collector',
      OTEL_EXPORTER_OTLP_METRICS_COMPRESSION: 'gzip',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    });
    await until('the first push', () => collector.metrics.length > 0);
    expect(collector.problems).toEqual([]);
    expect(collector.exports[0]).toMatchObject({
      path: '/v1/metrics',
      headers: { authorization: 'Bearer collector', 'content-encoding': 'gzip' },
    });
    expect(last(collector.metrics, 'portico_auth_logins')).toMatchObject({
      type: 'sum',
      isMonotonic: true,
      temporality: 'cumulative',
      unit: '',
      points: [{ attributes: { outcome: 'success' }, value: 3 }],
      resource: { 'service.name': 'portico-test', 'service.version': '1.2.3', 'deployment.environment.name': 'test' },
    });
    expect(last(collector.metrics, 'db.client.connection.count')).toMatchObject({
      type: 'gauge',
      points: [{ attributes: { 'db.client.connection.state': 'used' }, value: 2 }],
    });
    expect(last(collector.metrics, 'process.memory.usage')).toMatchObject({ unit: 'By', points: [{ value: 1.5 }] });
    expect(last(collector.metrics, 'http.server.request.duration')).toMatchObject({
      type: 'histogram',
      unit: 's',
      description: 'Requests.',
      points: [
        {
          attributes: { 'http.request.method': 'POST', 'http.response.status_code': 200 },
          count: 3,
          sum: 0.555,
          bounds: [0.01, 0.1],
          buckets: [1, 1, 1],
          exemplars: [{ value: 0.05, traceId: 'ab'.repeat(16), spanId: 'cd'.repeat(8) }],
        },
      ],
    });
  });

  test('is pushed what has been counted since the last push, where it prefers deltas', async () => {
    const collector = await receiver();
    const from = source();
    from.durations.add(5);
    await push(from, {
      OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: `${collector.url}/v1/metrics`,
      OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE: 'Delta',
    });
    const logins = () => named(collector.metrics, 'portico_auth_logins').map(({ points }) => points[0]?.value);
    await until('the first push', () => logins().length > 0);
    expect(last(collector.metrics, 'portico_auth_logins')?.temporality).toBe('delta');
    // What a collector has refused is in the next push.
    collector.answerWith({ kind: 'refuse', status: 400 });
    from.logins += 4;
    from.durations.add(50);
    const { length } = collector.exports;
    await until('a push that is refused', () => collector.exports.length >= length + 2);
    collector.answerWith({ kind: 'accept' });
    await until('the second push', () => logins().length > 1);
    from.logins = 1;
    await until('a push after a start from the beginning', () => logins().length > 2);
    expect(logins()).toEqual([3, 4, 1]);
    const durations = named(collector.metrics, 'http.server.request.duration');
    expect(durations.map(({ points }) => points[0]?.buckets)).toEqual([
      [1, 0, 0],
      [0, 1, 0],
    ]);
    expect(named(collector.metrics, 'db.client.connection.count').length).toBeGreaterThan(2);
  });

  test('gets the last metrics when the process stops', async () => {
    const collector = await receiver();
    const from = source();
    const pushing = await push(from, {
      OTEL_METRICS_EXPORTER: 'otlp',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_METRIC_EXPORT_INTERVAL: '3600000',
    });
    expect(collector.exports).toEqual([]);
    from.logins = 9;
    await pushing.stop();
    expect(last(collector.metrics, 'portico_auth_logins')?.points[0]?.value).toBe(9);
  });

  test('that is away is logged once, and pushed to when it is back', async () => {
    const collector = await receiver();
    collector.answerWith({ kind: 'refuse', status: 400 });
    const lines: string[] = [];
    await push(source(), { OTEL_METRICS_EXPORTER: 'otlp', OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }, lines);
    await until('some pushes fail', () => collector.exports.length > 3);
    collector.answerWith({ kind: 'accept' });
    await until('one succeeds', () => collector.metrics.length > 0);
    const events = lines.map((line) => JSON.parse(line));
    expect(events).toEqual([expect.objectContaining({ event: 'metrics.push_failed', reason: 'status 400' })]);
  });

  test('that never answers does not keep the process from stopping', async () => {
    const collector = await receiver();
    collector.answerWith({ kind: 'hang' });
    const pushing = await push(source(), {
      OTEL_METRICS_EXPORTER: 'otlp',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    });
    await until('a push that hangs', () => collector.exports.length > 0);
    // One at a time, however often it would be time.
    expect(collector.exports).toHaveLength(1);
    await pushing.stop();
  }, 30_000);
});

describe('the settings', () => {
  test.each<[string, NodeJS.ProcessEnv, string | undefined]>([
    ['nothing', {}, undefined],
    ['the address of a collector alone', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' }, undefined],
    ['the exporter alone', { OTEL_METRICS_EXPORTER: 'otlp' }, 'http://localhost:4318/v1/metrics'],
    [
      'the exporter and an address',
      { OTEL_METRICS_EXPORTER: 'otlp', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/' },
      'http://collector:4318/v1/metrics',
    ],
    ['an address for metrics', { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://other:1/in' }, 'http://other:1/in'],
    [
      'an address and no exporter',
      { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://other:1/in', OTEL_METRICS_EXPORTER: 'none' },
      undefined,
    ],
    ['all switched off', { OTEL_METRICS_EXPORTER: 'otlp', OTEL_SDK_DISABLED: 'true' }, undefined],
  ])('with %s, push to the right address or nowhere', (_kind, environment, url) => {
    expect(configOf(environment)?.url).toBe(url);
  });

  test('reject a temporality that is not supported', () => {
    expect(() => configOf({ OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE: 'lowmemory' })).toThrow(
      'expected cumulative or delta',
    );
  });
});

test('the metrics of workers keep the label of each', async () => {
  const collector = await receiver();
  const config = configOf({ OTEL_METRICS_EXPORTER: 'otlp', OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  if (!config) throw new Error('metrics are not pushed');
  const one = metricsOf(source());
  const pushing = await openMetricsPush({
    config,
    serviceVersion: '',
    collect: () =>
      ofWorkers(
        new Map([
          [1, one],
          [2, one],
        ]),
      ),
    log: createLogger('test', 'silent'),
  });
  await pushing.stop();
  const points = last(collector.metrics, 'portico_auth_logins')?.points ?? [];
  expect(points.map(({ attributes }) => attributes)).toEqual([
    { worker: '1', outcome: 'success' },
    { worker: '2', outcome: 'success' },
  ]);
});

test.each<[string, Metric['type'], string, string]>([
  ['nodejs_eventloop_delay_p99_seconds', 'gauge', 'nodejs.eventloop.delay.p99', 's'],
  ['nodejs_eventloop_utilization_ratio', 'gauge', 'nodejs.eventloop.utilization', '1'],
  ['nodejs_eventloop_time_seconds_total', 'counter', 'nodejs.eventloop.time', 's'],
  ['process_cpu_time_seconds_total', 'counter', 'process.cpu.time', 's'],
  ['process_open_file_descriptor_count', 'gauge', 'process.open_file_descriptor.count', ''],
  ['db_client_connection_wait_time_seconds', 'histogram', 'db.client.connection.wait_time', 's'],
  ['portico_http_sent_bytes_total', 'counter', 'portico_http_sent', 'By'],
  ['portico_auth_password_hash_queued', 'gauge', 'portico_auth_password_hash_queued', ''],
])('%s is pushed under its name in OpenTelemetry', (prometheus, type, name, unit) => {
  expect(openTelemetryName({ name: prometheus, type })).toEqual({ name, unit });
});
