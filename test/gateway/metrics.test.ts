import { afterEach, describe, expect, test } from '@jest/globals';
import { faults } from '../fault/faulty-service.ts';
import { openFaultPlatform } from '../fault/platform.ts';
import { openOtlpReceiver } from '../otlp/index.ts';
import { readExposition } from '../prometheus.ts';
import { freePort, keeper, send, until } from './harness/index.ts';

const { keep, close } = keeper();
afterEach(close);

/** A platform whose gateway tells its metrics. */
async function open() {
  const port = await freePort();
  const platform = await keep(
    openFaultPlatform(
      { circuit_breaker: { minimum_requests: 2, open_seconds: 600 }, retries: { limit: 1 } },
      { environment: { PORTICO_METRICS_PORT: String(port) } },
    ),
  );
  const url = `http://127.0.0.1:${port}/metrics`;
  return { ...platform, url, metrics: async () => readExposition((await send(url)).text) };
}

describe('an operator', () => {
  test('sees how many operations there were, how they ended and how long they took', async () => {
    const { ask, metrics, gateway } = await open();
    for (let i = 0; i < 3; i++) await ask('{ sound }');
    await ask('mutation { ill_change }');
    await ask('{ nonsense }');
    await gateway.graphql('{ sound }');
    const told = await metrics();
    expect(told.get('portico_operations_total{type="query",outcome="success"}')).toBe(3);
    expect(told.get('portico_operations_total{type="mutation",outcome="success"}')).toBe(1);
    expect(told.get('portico_operations_refused_total')).toBe(1);
    expect(told.get('portico_http_requests_total{status="401"}')).toBe(1);
    expect(told.get('portico_documents_total{cache="hit"}')).toBeGreaterThanOrEqual(2);
    expect(told.get('portico_documents_total{cache="miss"}')).toBe(3);
    expect(told.get('portico_operation_duration_seconds_count{type="query"}')).toBe(3);
    expect(told.get('portico_operation_duration_seconds_bucket{type="query",le="+Inf"}')).toBe(3);
    expect(told.get('portico_operation_duration_seconds_sum{type="query"}')).toBeGreaterThan(0);
    const buckets = [...told].filter(([name]) =>
      name.startsWith('portico_operation_duration_seconds_bucket{type="query"'),
    );
    expect(buckets.map(([, value]) => value)).toEqual(buckets.map(([, value]) => value).sort((a, b) => a - b));
    expect(told.get('portico_sources_missing')).toBe(0);
    expect(told.get('portico_live_connections')).toBe(0);
  });

  test('sees how the services are doing', async () => {
    const { ask, ill, metrics, leave } = await open();
    const of = (name: string, more = '') => `portico_upstream_${name}{service="ill",kind="remote-schema"${more}}`;
    ill.fail(faults.hangs);
    const waiting = leave('{ ill }');
    await until('it is under way', async () => (await metrics()).get(of('in_flight')) === 1);
    waiting.go();
    await until('it is over', async () => (await metrics()).get(of('in_flight')) === 0);
    ill.fail(faults.isUnavailable);
    await ask('{ ill }');
    await ask('{ ill }');
    const told = await metrics();
    expect(told.get(of('calls_total', ',outcome="aborted"'))).toBe(1);
    expect(told.get(of('calls_total', ',outcome="server-error"'))).toBe(1);
    expect(told.get(of('calls_total', ',outcome="circuit-open"'))).toBe(1);
    expect(told.get(of('retries_total'))).toBe(1);
    expect(told.get(of('circuit'))).toBe(2);
    expect(told.get('portico_upstream_circuit{service="sound",kind="remote-schema"}')).toBe(0);
    expect(told.get('portico_upstream_calls_total{service="act",kind="action",outcome="success"}')).toBe(0);
  });

  test('sees what is done for the first time only, and each request to a service', async () => {
    const { ask, ill, metrics } = await open();
    for (let i = 0; i < 3; i++) await ask('{ sound }');
    ill.fail(faults.hangsUp);
    await ask('mutation { ill_change }');
    const told = await metrics();
    const cached = (name: string) => [told.get(`${name}{cache="hit"}`), told.get(`${name}{cache="miss"}`)];
    expect(cached('portico_plans_total')).toEqual([2, 2]);
    expect(cached('portico_tokens_total')).toEqual([3, 1]);
    expect(told.get('portico_cache_entries{cache="documents"}')).toBe(2);
    expect(told.get('portico_validation_duration_seconds_count')).toBe(2);
    expect(told.get('portico_planning_duration_seconds_count')).toBe(2);
    const requests = (service: string, outcome: string) =>
      told.get(`http_client_request_duration_seconds_count{service="${service}",kind="remote-schema",${outcome}}`);
    expect(requests('sound', 'http_response_status_code="200"')).toBe(3);
    expect(requests('ill', 'error_type="connection"')).toBe(1);
    expect(told.get('portico_http_received_bytes_total')).toBeGreaterThan(400);
    expect(told.get('portico_http_sent_bytes_total')).toBeGreaterThan(400);
  });

  test('gets them in the format of Prometheus, each name described once', async () => {
    const { url, gateway } = await open();
    const { status, headers, text } = await send(url);
    expect([status, headers['content-type']]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
    const types = text.split('\n').filter((line) => line.startsWith('# TYPE '));
    expect(new Set(types).size).toBe(types.length);
    expect(types).toContain('# TYPE portico_upstream_duration_seconds histogram');
    expect((await send(url, { method: 'POST' })).status).toBe(405);
    expect((await send(url.replace('/metrics', '/'))).status).toBe(404);
    expect((await gateway.send('/metrics')).status).toBe(404);
  });

  test('sees the process', async () => {
    const { metrics } = await open();
    const told = await metrics();
    for (const name of ['process_uptime_seconds', 'process_memory_usage_bytes', 'v8js_memory_heap_limit_bytes'])
      expect(told.get(name)).toBeGreaterThan(0);
    expect(told.get('process_cpu_time_seconds_total{cpu_mode="user"}')).toBeGreaterThan(0);
    expect(told.get('nodejs_eventloop_utilization_ratio')).toBeLessThanOrEqual(1);
    expect(told.get('v8js_gc_duration_seconds_count{v8js_gc_type="minor"}')).toBeGreaterThanOrEqual(0);
    await until('delays are measured', async () => (await metrics()).has('nodejs_eventloop_delay_p99_seconds'));
  });

  test('has a collector pushed to, without a port', async () => {
    const collector = await keep(openOtlpReceiver());
    const { ask } = await keep(
      openFaultPlatform(
        {},
        {
          environment: {
            OTEL_METRICS_EXPORTER: 'otlp',
            OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
            OTEL_TRACES_EXPORTER: 'none',
            OTEL_METRIC_EXPORT_INTERVAL: '100',
          },
        },
      ),
    );
    await ask('{ sound }');
    const operations = () =>
      collector.metrics.findLast(({ name }) => name === 'portico_operations')?.points.map(({ value }) => value) ?? [];
    await until('the operation is pushed', () => operations().includes(1));
    expect(collector.problems).toEqual([]);
    expect(collector.metrics[0]?.resource).toMatchObject({ 'service.name': 'portico-gateway' });
    const names = new Set(collector.metrics.map(({ name }) => name));
    expect([...names]).toEqual(expect.arrayContaining(['http.server.request.duration', 'process.memory.usage']));
  });
});
