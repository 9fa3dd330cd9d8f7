import { afterEach, describe, expect, test } from '@jest/globals';
import { faults } from '../fault/faulty-service.ts';
import { openFaultPlatform } from '../fault/platform.ts';
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
  return { ...platform, url, metrics: async () => readMetrics((await send(url)).text) };
}

/** Values by their names with labels, as they are written. */
function readMetrics(text: string): ReadonlyMap<string, number> {
  const lines = text
    .trimEnd()
    .split('\n')
    .filter((line) => !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const [, name = '', value = ''] = /^(\w+(?:\{(?:\w+="(?:[^"\\]|\\.)*",?)*\})?) (\S+)$/.exec(line) ?? [];
      expect(name).not.toBe('');
      return [name, Number(value)];
    }),
  );
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
});
