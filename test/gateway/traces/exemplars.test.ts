import { afterAll, expect, test } from '@jest/globals';
import { openFaultPlatform } from '../../fault/platform.ts';
import { openOtlpReceiver } from '../../otlp/index.ts';
import { freePort, keeper, send, until } from '../harness/index.ts';

const { keep, close } = keeper();
afterAll(close);

const EXEMPLAR =
  /^(\w+)_bucket\{[^}]*\} \d+ # \{trace_id="([0-9a-f]{32})",span_id="([0-9a-f]{16})"\} [\d.e-]+ [\d.]+$/gm;

test('histograms lead from a bucket to the spans of its last observation', async () => {
  const collector = await keep(openOtlpReceiver());
  const port = await freePort();
  const environment = {
    PORTICO_METRICS_PORT: String(port),
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_BSP_SCHEDULE_DELAY: '50',
  };
  const { ask } = await keep(openFaultPlatform({}, { environment }));
  await ask('{ sound }');
  const url = `http://127.0.0.1:${port}/metrics`;
  const openMetrics = () => send(url, { headers: { accept: 'application/openmetrics-text; version=1.0.0' } });
  // A request is counted when its response has been sent, which its client may know first.
  await until('the request is counted', async () =>
    (await openMetrics()).text.includes('http_server_request_duration_seconds_count{'),
  );
  const { text, headers } = await openMetrics();
  expect(headers['content-type']).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8');
  expect(text.endsWith('\n# EOF\n')).toBe(true);

  const exemplars = new Map(
    [...text.matchAll(EXEMPLAR)].map(([, name, traceId, spanId]) => [name, { traceId, spanId }]),
  );
  const request = exemplars.get('http_server_request_duration_seconds');
  const call = exemplars.get('http_client_request_duration_seconds');
  expect(exemplars.get('portico_operation_duration_seconds')).toEqual(request);
  expect(call?.traceId).toBe(request?.traceId);
  const spanOf = (exemplar: typeof request) => collector.spans.find(({ spanId }) => spanId === exemplar?.spanId);
  await until('the spans have arrived', () => spanOf(request) !== undefined && spanOf(call) !== undefined);
  expect(spanOf(request)).toMatchObject({ name: 'POST /v1/graphql', traceId: request?.traceId });
  expect(spanOf(call)).toMatchObject({ name: 'POST sound', parentSpanId: request?.spanId });

  // The older format has none.
  expect((await send(url)).text).not.toContain('trace_id');
});
