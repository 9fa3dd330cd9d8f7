import { afterAll, expect, test } from '@jest/globals';
import { openOtlpReceiver } from '../otlp/index.ts';
import { type Process, start } from './cli/portico.ts';
import { keeper, send, until } from './harness/index.ts';
import { metadataDirectory } from './harness/metadata-directory.ts';

const { keep, close } = keeper();
afterAll(close);

const ADMIN_SECRET = 'correct-horse-battery-staple';
const REQUESTS = 20;

const logged = (gateway: Process, event: string): Record<string, unknown>[] =>
  gateway
    .written()
    .split('\n')
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
    .map((line) => JSON.parse(line))
    .filter((line) => line.event === event);

test('workers have the metadata’s collector pushed to, with what they count until they end and since when they do', async () => {
  const collector = await keep(openOtlpReceiver());
  const metadata = await keep(
    metadataDirectory({
      'opentelemetry.yaml': {
        status: 'enabled',
        data_types: ['metrics'],
        exporter_otlp: {
          otlp_metrics_endpoint: '{{COLLECTOR_URL}}/v1/metrics',
          headers: [{ name: 'x-api-key', value_from_env: 'COLLECTOR_KEY' }],
          resource_attributes: [{ name: 'service.name', value: 'shop' }],
        },
      },
    }),
  );
  const gateway = await keep(
    start(['serve', metadata.path, '--workers', '2'], {
      environment: {
        HASURA_GRAPHQL_SERVER_PORT: '0',
        HASURA_GRAPHQL_ADMIN_SECRET: ADMIN_SECRET,
        PORTICO_METADATA_WATCH: 'false',
        HASURA_GRAPHQL_GRACEFUL_SHUTDOWN_TIMEOUT: '1',
        COLLECTOR_URL: collector.url,
        COLLECTOR_KEY: 'key',
        // So the push at the stop is the only one.
        OTEL_METRIC_EXPORT_INTERVAL: '3600000',
      },
    }),
  );
  await until('all workers listen', () => logged(gateway, 'workers.ready').length === 1);
  const url = `http://127.0.0.1:${logged(gateway, 'workers.ready')[0]?.port}`;
  const [first] = logged(gateway, 'service.ready');
  const diedAt = Date.now();
  process.kill(Number(first?.pid), 'SIGKILL');
  await until('another one takes its place', () => logged(gateway, 'service.ready').length === 3);
  for (let i = 0; i < REQUESTS; i++) expect((await send(`${url}/healthz`)).status).toBe(200);
  gateway.signal('SIGTERM');

  expect((await gateway.ended).code).toBe(0);
  expect(collector.problems).toEqual([]);
  expect(collector.exports.map(({ headers }) => headers['x-api-key'])).toEqual(['key']);
  const requests = collector.metrics.find(({ name }) => name === 'portico_http_requests');
  expect(requests?.resource['service.name']).toBe('shop');
  expect(requests?.points.reduce((sum, { value }) => sum + Number(value), 0)).toBe(REQUESTS);
  const reloads = collector.metrics.find(({ name }) => name === 'portico_reloads')?.points ?? [];
  const startOf = (worker: string) => reloads.find(({ attributes }) => attributes.worker === worker)?.start ?? 0n;
  const replaced = Number(first?.worker);
  const [older, newer] = [String(3 - replaced), '3'];
  const died = BigInt(diedAt) * 1_000_000n;
  expect(startOf(older)).toBeLessThan(died);
  expect(startOf(newer)).toBeGreaterThanOrEqual(died);
});
