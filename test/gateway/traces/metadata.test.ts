import { afterAll, expect, test } from '@jest/globals';
import { openOtlpReceiver } from '../../otlp/index.ts';
import { openEditedGateway } from '../harness/edited-gateway.ts';
import { graphqlUpstream, keeper, openGateway, openIssuer, until } from '../harness/index.ts';

const { keep, close } = keeper();
afterAll(close);

const issuer = await keep(openIssuer());
const collector = await keep(openOtlpReceiver());
const users = await keep(graphqlUpstream('type Query { count: Int }', { Query: { count: () => 1 } }));
const files = { 'remote_schemas.yaml': [{ name: 'users', definition: { url: users.graphqlUrl } }] };
const settings = {
  status: 'enabled',
  data_types: ['traces', 'logs'],
  exporter_otlp: {
    otlp_traces_endpoint: '{{COLLECTOR_URL}}/v1/traces',
    protocol: 'http/protobuf',
    headers: [{ name: 'x-api-key', value_from_env: 'COLLECTOR_KEY' }],
    resource_attributes: [
      { name: 'service.name', value: 'shop' },
      { name: 'team', value: 'theirs' },
    ],
    traces_propagators: ['b3'],
  },
  batch_span_processor: { max_export_batch_size: 1 },
};
const environment = {
  COLLECTOR_URL: collector.url,
  COLLECTOR_KEY: 'key',
  OTEL_RESOURCE_ATTRIBUTES: 'team=ours',
  OTEL_BSP_SCHEDULE_DELAY: '10',
};

test("Hasura's opentelemetry.yaml switches tracing on and off, and variables win over it", async () => {
  const gateway = await keep(openEditedGateway(files, { issuer, environment }));
  const ask = () => gateway.graphql('{ count }', { token: issuer.token() });
  const headersOfCall = async () => {
    users.forget();
    await ask();
    return users.operations()[0]?.headers ?? {};
  };

  expect(await headersOfCall()).not.toHaveProperty('x-b3-traceid');
  expect((await gateway.edit({ 'opentelemetry.yaml': settings })).status).toBe(200);
  const traceId = await until('calls are traced', async () => (await headersOfCall())['x-b3-traceid'] as string);
  const span = await until('the span is there', () =>
    collector.spans.find((one) => one.traceId === traceId && one.kind === 'server'),
  );

  expect(span.resource).toMatchObject({ 'service.name': 'shop', team: 'ours' });
  expect(collector.exports[0]?.headers['x-api-key']).toBe('key');
  expect(collector.problems).toEqual([]);
  expect(gateway.logged('metadata.ignored').at(-1)).toMatchObject({
    ignored: [{ what: 'OpenTelemetry logs: logs are written to standard output' }],
  });
  await gateway.edit({ 'opentelemetry.yaml': { ...settings, status: 'disabled' } });
  await until('calls are not traced', async () => !('x-b3-traceid' in (await headersOfCall())));
});

test("Hasura's opentelemetry.yaml has metrics pushed, and to another collector when it is edited", async () => {
  const [sink, other] = [await keep(openOtlpReceiver()), await keep(openOtlpReceiver())];
  const gateway = await keep(
    openEditedGateway(files, {
      issuer,
      environment: {
        ...environment,
        COLLECTOR_URL: sink.url,
        OTHER_URL: other.url,
        OTEL_METRIC_EXPORT_INTERVAL: '100',
      },
    }),
  );
  const pushing = {
    ...settings,
    data_types: ['metrics'],
    exporter_otlp: { ...settings.exporter_otlp, otlp_metrics_endpoint: '{{COLLECTOR_URL}}/v1/metrics' },
  };
  expect((await gateway.edit({ 'opentelemetry.yaml': pushing })).status).toBe(200);
  const metric = await until('metrics are pushed', () =>
    sink.metrics.find(({ name }) => name === 'portico_http_requests'),
  );

  expect(metric.resource).toMatchObject({ 'service.name': 'shop', team: 'ours' });
  expect(sink.exports[0]?.headers['x-api-key']).toBe('key');
  expect(sink.metrics.some(({ name }) => name === 'process.memory.usage')).toBe(true);
  expect([sink.problems, sink.spans]).toEqual([[], []]);
  const elsewhere = { ...pushing.exporter_otlp, otlp_metrics_endpoint: '{{OTHER_URL}}/v1/metrics' };
  await gateway.edit({ 'opentelemetry.yaml': { ...pushing, exporter_otlp: elsewhere } });
  await until('they are pushed elsewhere', () => other.exports.length > 0);
  const [before, since] = [sink.exports.length, other.exports.length];
  await until('they are pushed on', () => other.exports.length > since + 2);
  expect(sink.exports).toHaveLength(before);
});

test.each([
  ['an endpoint of a variable that is not set', { otlp_traces_endpoint: '{{NOWHERE}}/v1/traces' }, 'NOWHERE'],
  [
    "a header of a secret of the gateway's own",
    { headers: [{ name: 'a', value_from_env: 'PORTICO_WEBHOOK_SECRET' }] },
    'PORTICO_WEBHOOK_SECRET',
  ],
  ['a protocol that is not supported', { protocol: 'grpc' }, 'expected http/protobuf'],
  ['a propagator that is not known', { traces_propagators: ['jaeger'] }, 'expected one of tracecontext'],
])('%s is a problem of the metadata', async (_what, changed, problem) => {
  const metadata = {
    ...files,
    'opentelemetry.yaml': { ...settings, exporter_otlp: { ...settings.exporter_otlp, ...changed } },
  };

  await expect(openGateway({ issuer, metadata, environment })).rejects.toThrow(problem);
});
