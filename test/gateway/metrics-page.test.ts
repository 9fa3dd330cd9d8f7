import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createTestDatabase } from '../database/index.ts';
import { faults } from '../fault/faulty-service.ts';
import { openFaultPlatform } from '../fault/platform.ts';
import { describedMetrics, servedMetrics } from '../metrics-page.ts';
import { freePort, keeper, reply, send, serve, until } from './harness/index.ts';

const { keep, close } = keeper();
afterAll(close);

const OF_CONVENTIONS = /^process_open_file_descriptor_count .* "_count" suffix/;

const hasPromtool = spawnSync('promtool', ['--version']).status === 0;
if (!hasPromtool)
  process.stderr.write('\nMETRICS NOT CHECKED: install promtool (Debian: apt-get install prometheus)\n');

/** Those of the main process of several workers: `test/gateway/workers.test.ts` looks for them. */
const OF_WORKERS = ['portico_workers', 'portico_worker_restarts_total'];
let text = '';

beforeAll(async () => {
  const port = await freePort();
  const feed = await keep(serve((_, response) => reply(response, 200, { cursor: '0', revocations: [] })));
  const { url, drop } = await createTestDatabase({ engine: 'pglite', migrated: false });
  keep({ close: drop });
  const environment = {
    HASURA_GRAPHQL_METADATA_DATABASE_URL: url,
    PORTICO_METRICS_PORT: String(port),
    PORTICO_REVOCATION_URL: feed.url,
    PORTICO_REVOCATION_INTERVAL_SECONDS: '1',
    // It is measured whether it is there, which it is not.
    PORTICO_REDIS_URL: 'redis://127.0.0.1:1',
    PORTICO_METRICS_CLIENTS: 'web',
    PORTICO_METRICS_TENANTS: '1',
  };
  const platform = await keep(openFaultPlatform({}, { environment }));
  await platform.ask('{ sound }', { headers: { 'apollographql-client-name': 'web' } });
  platform.ill.fail(faults.isUnavailable);
  await platform.ask('{ ill }');
  platform.ill.fail(faults.hangsUp);
  await platform.ask('{ ill }');
  await until('the delay of the event loop and the clocks have been measured', async () => {
    ({ text } = await send(`http://127.0.0.1:${port}/metrics`));
    return ['nodejs_eventloop_delay_p99_seconds', 'portico_clock_skew_seconds'].every((name) =>
      text.includes(`# TYPE ${name} gauge`),
    );
  });
});

test('the page about metrics describes all that a gateway serves, and nothing else', async () => {
  const described = await describedMetrics('Gateway', 'Processes');
  const served = servedMetrics(text);
  const types = (metrics: typeof served) => metrics.map(({ name, type }) => `${name} ${type}`).sort();
  expect(types(described.filter(({ name }) => !OF_WORKERS.includes(name)))).toEqual(types(served));
});

test('the page about metrics has each label', async () => {
  const described = new Map((await describedMetrics('Gateway', 'Processes')).map(({ name, labels }) => [name, labels]));
  const unknown = servedMetrics(text).flatMap(({ name, labels }) =>
    labels.filter((label) => !described.get(name)?.includes(label)).map((label) => `${name}{${label}}`),
  );
  expect(unknown).toEqual([]);
});

(hasPromtool ? test : test.skip)('promtool accepts the metrics', () => {
  const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' });
  // The semantic conventions end some names of gauges in `count`, which promtool would have for histograms alone.
  const complaints = (stdout + stderr).split('\n').filter((line) => line !== '' && !OF_CONVENTIONS.test(line));
  expect(complaints).toEqual([]);
  // 3: there was something to complain of.
  expect([0, 3]).toContain(status);
});
