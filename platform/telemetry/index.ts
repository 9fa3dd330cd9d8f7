/**
 * Traces of both processes.
 *
 * Code starts a span as a child of the span that it was passed, never from a global context:
 *
 *     const span = request.span?.startChild('hash password');   // undefined while tracing is off
 *     try {
 *       return await hash(password);
 *     } catch (error) {
 *       span?.fail('hash_failed');
 *       throw error;
 *     } finally {
 *       span?.end();
 *     }
 *
 * The span of a request starts where the request arrives, with `telemetry.tracer?.startRequest({ name, headers, isTrusted })`,
 * and is passed along with the other properties that all stages share. A sent request has a span of kind `client`, whose
 * `headers` (alternating names and values) are sent with it. `PROPAGATION_HEADERS` are never taken from a client. Names come
 * from a limited set, and attributes follow the semantic conventions where these exist. No attribute contains the value of a
 * variable, a document, a token, a tenant or a user. Attributes that many spans share are created once, by `fixedAttributes`.
 *
 * Why not the SDK's spans: two spans of a request with ten attributes were started, ended and encoded. This took OpenTelemetry's
 * SDK 2.12 and its serializer 9.0 µs of processor time (3.2 µs for the spans, 5.8 µs for their protobuf), a fifth of the 44 µs
 * of the benchmark's row H. The spans here take 2 µs, and half a microsecond if the request is not recorded. Retries of exports
 * follow OpenTelemetry's exporters (`otlp-transport.ts`).
 */
export { type TracingDefaults, type TracingSettings, tracingProblems } from './config.ts';
export { type FixedAttributes, fixedAttributes } from './fixed-attributes.ts';
export { GATEWAY_CREDENTIAL_HEADER, gatewayCredential, gatewayCredentialCheck } from './gateway-credential.ts';
export { type LogsExportConfig, logsExportConfig } from './logs/config.ts';
export type { LogRecord } from './logs/encode.ts';
export { type LogsExport, openLogsExport } from './logs/export.ts';
export { logsExportSettings } from './logs/settings.ts';
export {
  type MetricsPushConfig,
  type MetricsPushDefaults,
  type MetricsPushSettings,
  metricsPushConfig,
} from './metrics/config.ts';
export { type PublishedMetrics, type PublishMetricsOptions, publishMetrics } from './metrics/publish.ts';
export { type MetricsPush, type MetricsPushOptions, openMetricsPush } from './metrics/push.ts';
export { metricsPushSettings } from './metrics/settings.ts';
export { PROPAGATION_HEADERS, PROPAGATORS, type Propagator } from './propagators.ts';
export { otlpSettings, tracingSettings } from './settings.ts';
export type { Span, SpanKind } from './span.ts';
export type { SpanCounts } from './span-queue.ts';
export { openTelemetry, type Telemetry, type TelemetryOptions } from './telemetry.ts';
export type { RequestSpanOptions, Tracer } from './tracer.ts';
export type { AttributeValue } from './write-attribute.ts';
