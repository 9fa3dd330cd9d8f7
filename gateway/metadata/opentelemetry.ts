import { z } from 'zod';
import { type MetricsPushDefaults, PROPAGATORS, type TracingDefaults } from '../../platform/index.ts';
import { configuredHeaders, listOf, mapping, name } from './shapes/index.ts';
import { type Environment, resolveHeaders, resolveUrlWithCredentials } from './template.ts';
import { MetadataError, type MetadataLocation, type ValuePath } from './yaml/index.ts';

const DATA_TYPES = ['traces', 'metrics', 'logs'] as const;
const endpoint = z.string().nullish();

/** `opentelemetry.yaml`, in Hasura's format. */
export const openTelemetryShape = mapping({
  status: z.enum(['enabled', 'disabled'], { error: 'expected enabled or disabled' }).nullish(),
  data_types: listOf(z.enum(DATA_TYPES, { error: `expected one of ${DATA_TYPES.join(', ')}` })),
  exporter_otlp: mapping({
    otlp_traces_endpoint: endpoint,
    otlp_metrics_endpoint: endpoint,
    otlp_logs_endpoint: endpoint,
    protocol: z.enum(['http/protobuf'], { error: 'expected http/protobuf' }).nullish(),
    headers: configuredHeaders,
    resource_attributes: listOf(mapping({ name, value: z.string() })),
    traces_propagators: z.array(z.enum(PROPAGATORS, { error: `expected one of ${PROPAGATORS.join(', ')}` })).nullish(),
  }).nullish(),
  batch_span_processor: mapping({ max_export_batch_size: z.int().min(1).max(100_000).nullish() }).nullish(),
});

export type OpenTelemetryMetadata = z.output<typeof openTelemetryShape>;

/** Returns the configured data types that are not exported, by path. */
export function ignoredDataTypes(
  { status, data_types }: OpenTelemetryMetadata,
  place: (path: ValuePath) => MetadataLocation,
): readonly (MetadataLocation & { readonly what: string })[] {
  if (status !== 'enabled') return [];
  return data_types.flatMap((type, index) =>
    type === 'logs'
      ? [{ ...place(['data_types', index]), what: 'OpenTelemetry logs: logs are written to standard output' }]
      : [],
  );
}

/**
 * Returns the tracing that the metadata configures, or undefined if it is not enabled.
 *
 * @throws MetadataError if the endpoint or a header refers to a missing environment variable.
 */
export function tracingOf(
  metadata: OpenTelemetryMetadata,
  environment: Environment,
  place: (path: ValuePath) => MetadataLocation,
): TracingDefaults | undefined {
  const { exporter_otlp, batch_span_processor } = metadata;
  const exporter = exporterOf(metadata, 'traces', environment, place);
  if (!exporter || !exporter_otlp) return undefined;
  return {
    ...exporter,
    // Hasura sends B3 by default, and uses several headers for "b3".
    propagators: exporter_otlp.traces_propagators?.map((one) => (one === 'b3' ? 'b3multi' : one)) ?? [
      'tracecontext',
      'baggage',
      'b3multi',
    ],
    maxExportBatchSize: batch_span_processor?.max_export_batch_size ?? undefined,
  };
}

/**
 * Returns the push of metrics that the metadata configures, or undefined if it is not enabled.
 *
 * @throws MetadataError like `tracingOf`.
 */
export function metricsPushOf(
  metadata: OpenTelemetryMetadata,
  environment: Environment,
  place: (path: ValuePath) => MetadataLocation,
): MetricsPushDefaults | undefined {
  return exporterOf(metadata, 'metrics', environment, place);
}

function exporterOf(
  { status, data_types, exporter_otlp }: OpenTelemetryMetadata,
  type: 'traces' | 'metrics',
  environment: Environment,
  place: (path: ValuePath) => MetadataLocation,
): MetricsPushDefaults | undefined {
  const key = `otlp_${type}_endpoint` as const;
  const url = exporter_otlp?.[key];
  if (status !== 'enabled' || !data_types.includes(type) || !exporter_otlp || !url) return undefined;
  const at = (...path: ValuePath) => place(['exporter_otlp', ...path]);
  const resolved = resolveUrlWithCredentials({ url }, environment);
  const headers = resolveHeaders(exporter_otlp.headers, environment);
  const problems = [
    ...('problem' in resolved ? [{ ...at(key), message: resolved.problem }] : []),
    ...('problem' in headers ? [{ ...at('headers', ...headers.path), message: headers.problem }] : []),
  ];
  if ('problem' in resolved || 'problem' in headers) throw new MetadataError(problems);
  return {
    endpoint: resolved.url,
    headers: headers.headers,
    resourceAttributes: Object.fromEntries(exporter_otlp.resource_attributes.map((one) => [one.name, one.value])),
  };
}
