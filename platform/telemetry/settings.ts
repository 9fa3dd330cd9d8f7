import { z } from 'zod';
import { setting } from '../settings/index.ts';
import { parseKeyValues } from './key-value-list.ts';
import { PROPAGATORS, type Propagator } from './propagators.ts';
import { SAMPLERS } from './sampler.ts';

const SEE = 'See [tracing.md](tracing.md).';

export function keyValues() {
  return z
    .string()
    .meta({ type: '`name=value` pairs, separated by commas' })
    .transform((text, context): Readonly<Record<string, string>> => {
      const parsed = parseKeyValues(text);
      if ('values' in parsed) return parsed.values;
      context.addIssue(`expected name=value pairs, separated by commas: ${parsed.problem}`);
      return z.NEVER;
    });
}

export const milliseconds = (from: number, to: number) =>
  setting.integer(0, from, to, 'milliseconds').removeDefault().optional();

export const compression = () => z.enum(['none', 'gzip'], { error: 'expected none or gzip' }).optional();
export const protocol = () =>
  z.enum(['http/protobuf'], { error: 'expected http/protobuf, the one protocol that is supported' }).optional();

/**
 * The destination of OpenTelemetry data, by the standard variables
 * (https://opentelemetry.io/docs/specs/otel/protocol/exporter/). Traces and metrics share them.
 */
export const otlpSettings = {
  OTEL_SDK_DISABLED: setting
    .flag(false)
    .describe('Disables OpenTelemetry completely, regardless of the other settings.'),
  OTEL_SERVICE_NAME: setting
    .text()
    .optional()
    .meta({ default: '`portico-gateway`, `portico-auth-service`' })
    .describe('Value of the attribute `service.name`.'),
  OTEL_RESOURCE_ATTRIBUTES: keyValues()
    .optional()
    .describe('Resource attributes of this process, such as `deployment.environment.name=production`.'),
  OTEL_EXPORTER_OTLP_ENDPOINT: setting
    .httpUrl()
    .optional()
    .describe(
      `URL of an OpenTelemetry collector, such as \`http://collector:4318\`; \`/v1/traces\` is appended. Enables tracing. ${SEE}`,
    ),
  OTEL_EXPORTER_OTLP_HEADERS: keyValues()
    .optional()
    .describe('Headers sent to the collector, such as `authorization=Bearer%20…`. Values are percent-encoded.'),
  OTEL_EXPORTER_OTLP_TIMEOUT: milliseconds(1, 600_000)
    .meta({ default: '`10000`' })
    .describe('How long an export may take, including retries.'),
  OTEL_EXPORTER_OTLP_COMPRESSION: compression().meta({ default: '`none`' }).describe('Compression of exported data.'),
  OTEL_EXPORTER_OTLP_PROTOCOL: protocol().meta({ default: '`http/protobuf`' }).describe('Protocol of the export.'),
};

/** Settings of tracing of both processes. */
export const tracingSettings = {
  OTEL_TRACES_EXPORTER: z
    .enum(['otlp', 'none'], { error: 'expected otlp or none' })
    .optional()
    .meta({ default: '`otlp` with an endpoint, else `none`' })
    .describe('`none` disables tracing. `otlp` without an endpoint sends to `http://localhost:4318`.'),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: setting
    .httpUrl()
    .optional()
    .describe('URL to which traces are sent, used without changes. Overrides `OTEL_EXPORTER_OTLP_ENDPOINT`.'),
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: keyValues()
    .optional()
    .describe('Headers sent with traces. Overrides `OTEL_EXPORTER_OTLP_HEADERS`.'),
  OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: milliseconds(1, 600_000).describe(
    'Overrides `OTEL_EXPORTER_OTLP_TIMEOUT` for traces.',
  ),
  OTEL_EXPORTER_OTLP_TRACES_COMPRESSION: compression().describe(
    'Overrides `OTEL_EXPORTER_OTLP_COMPRESSION` for traces.',
  ),
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: protocol().describe('Overrides `OTEL_EXPORTER_OTLP_PROTOCOL` for traces.'),
  OTEL_PROPAGATORS: setting
    .list()
    .pipe(
      z
        .array(z.enum([...PROPAGATORS, 'none'], { error: `expected a list of ${PROPAGATORS.join(', ')}, or none` }))
        .refine((names) => !names.includes('none') || names.length === 1, 'expected none alone'),
    )
    .transform((names) => names.filter((name): name is Propagator => name !== 'none'))
    .optional()
    .meta({ default: '`tracecontext,baggage`' })
    .describe(
      'Header formats in which trace context is accepted and forwarded. `b3` and `b3multi` are also supported.',
    ),
  OTEL_TRACES_SAMPLER: z
    .enum(SAMPLERS, { error: `expected one of ${SAMPLERS.join(', ')}` })
    .default('parentbased_traceidratio')
    .describe('Which traces are recorded.'),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .regex(/^(?:0(?:\.\d{1,15})?|1(?:\.0{1,15})?|\.\d{1,15})$/, 'expected a number from 0 to 1')
    .transform(Number)
    .optional()
    .meta({ type: 'number, 0 to 1', default: '`1`' })
    .describe('Ratio of traces that the samplers `traceidratio` and `parentbased_traceidratio` record.'),
  OTEL_BSP_SCHEDULE_DELAY: setting
    .integer(5_000, 10, 600_000, 'milliseconds')
    .describe('How long a span waits at most for other spans of the same export.'),
  OTEL_BSP_EXPORT_TIMEOUT: setting
    .integer(30_000, 1, 600_000, 'milliseconds')
    .describe('Time after which an export is aborted.'),
  OTEL_BSP_MAX_QUEUE_SIZE: setting
    .integer(2_048, 1, 1_000_000)
    .describe('Maximum number of spans that wait for export. Further spans are dropped and counted.'),
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: setting
    .integer(512, 1, 100_000)
    .removeDefault()
    .optional()
    .meta({ default: '`512`' })
    .describe('Maximum number of spans per export.'),
  PORTICO_TRACES_KEEP_ERRORS: setting
    .flag(false)
    .describe(
      'Whether traces of failed requests are kept even if the sampler has not chosen them. Costs as much as recording all traces.',
    ),
  PORTICO_TRACES_KEEP_SLOW_MS: setting
    .integer(0, 0, 3_600_000, 'milliseconds')
    .describe('Duration from which slow traces are kept even if the sampler has not chosen them. 0 disables this.'),
};
