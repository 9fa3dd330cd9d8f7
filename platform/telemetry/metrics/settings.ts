import { z } from 'zod';
import { setting } from '../../settings/index.ts';
import { compression, keyValues, milliseconds, protocol } from '../settings.ts';

export const TEMPORALITIES = ['cumulative', 'delta'] as const;

/** Settings of the metrics push of both processes. */
export const metricsPushSettings = {
  OTEL_METRICS_EXPORTER: z
    .enum(['otlp', 'none'], { error: 'expected otlp or none' })
    .optional()
    .meta({ default: '`otlp` with an endpoint for metrics, else `none`' })
    .describe(
      '`otlp` pushes metrics to `OTEL_EXPORTER_OTLP_METRICS_ENDPOINT`, to `OTEL_EXPORTER_OTLP_ENDPOINT` or to `http://localhost:4318`. See [metrics.md](metrics.md#push).',
    ),
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: setting
    .httpUrl()
    .optional()
    .describe('URL to which metrics are pushed, used without changes. Enables the push.'),
  OTEL_EXPORTER_OTLP_METRICS_HEADERS: keyValues()
    .optional()
    .describe('Headers sent with metrics. Overrides `OTEL_EXPORTER_OTLP_HEADERS`.'),
  OTEL_EXPORTER_OTLP_METRICS_TIMEOUT: milliseconds(1, 600_000).describe(
    'Overrides `OTEL_EXPORTER_OTLP_TIMEOUT` for metrics.',
  ),
  OTEL_EXPORTER_OTLP_METRICS_COMPRESSION: compression().describe(
    'Overrides `OTEL_EXPORTER_OTLP_COMPRESSION` for metrics.',
  ),
  OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: protocol().describe('Overrides `OTEL_EXPORTER_OTLP_PROTOCOL` for metrics.'),
  OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE: z
    .string()
    .transform((text) => text.toLowerCase())
    .pipe(z.enum(TEMPORALITIES, { error: 'expected cumulative or delta' }))
    .default('cumulative')
    .meta({ type: '`cumulative` or `delta`' })
    .describe(
      'Whether pushed counters and histograms count from the start of the process (`cumulative`) or from the last push (`delta`).',
    ),
  OTEL_METRIC_EXPORT_INTERVAL: setting
    .integer(60_000, 100, 3_600_000, 'milliseconds')
    .describe('How often metrics are pushed.'),
  OTEL_METRIC_EXPORT_TIMEOUT: setting
    .integer(30_000, 1, 600_000, 'milliseconds')
    .describe('Time after which a push is aborted.'),
};
