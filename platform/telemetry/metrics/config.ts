import type { z } from 'zod';
import type { OtlpTransportOptions } from '../otlp-transport.ts';
import type { otlpSettings } from '../settings.ts';
import type { metricsPushSettings, TEMPORALITIES } from './settings.ts';

/** The settings of the push, as `readSettings` returns them. */
export type MetricsPushSettings = Readonly<z.output<z.ZodObject<typeof otlpSettings & typeof metricsPushSettings>>>;

export type Temporality = (typeof TEMPORALITIES)[number];

/** How metrics are pushed. */
export interface MetricsPushConfig extends OtlpTransportOptions {
  readonly resource: Readonly<Record<string, string>>;
  readonly temporality: Temporality;
  readonly intervalMs: number;
}

/**
 * Settings of the push from another source than the environment, such as Hasura's metadata. Environment variables take
 * precedence.
 */
export interface MetricsPushDefaults {
  /** The URL that metrics are sent to. */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly resourceAttributes: Readonly<Record<string, string>>;
}

const DEFAULT_METRICS_ENDPOINT = 'http://localhost:4318';
const DEFAULT_PUSH_TIMEOUT_MS = 10_000;

/**
 * Returns how metrics are pushed by the settings.
 *
 * Unlike the standard, the address of traces alone does not push metrics: most collectors of traces accept no metrics, and
 * metrics that Prometheus scrapes would be duplicated.
 *
 * @param serviceName the name if `OTEL_SERVICE_NAME` is not set.
 * @param defaults the values where no variable is set.
 * @returns undefined if metrics are not pushed.
 */
export function metricsPushConfig(
  settings: MetricsPushSettings,
  serviceName: string,
  defaults?: MetricsPushDefaults,
): MetricsPushConfig | undefined {
  const url = metricsUrl(settings, defaults);
  if (url === undefined) return undefined;
  const timeoutMs =
    settings.OTEL_EXPORTER_OTLP_METRICS_TIMEOUT ?? settings.OTEL_EXPORTER_OTLP_TIMEOUT ?? DEFAULT_PUSH_TIMEOUT_MS;
  return {
    url,
    headers:
      settings.OTEL_EXPORTER_OTLP_METRICS_HEADERS ?? settings.OTEL_EXPORTER_OTLP_HEADERS ?? defaults?.headers ?? {},
    timeoutMs: Math.min(timeoutMs, settings.OTEL_METRIC_EXPORT_TIMEOUT),
    compression: settings.OTEL_EXPORTER_OTLP_METRICS_COMPRESSION ?? settings.OTEL_EXPORTER_OTLP_COMPRESSION ?? 'none',
    resource: {
      'service.name': serviceName,
      ...defaults?.resourceAttributes,
      ...settings.OTEL_RESOURCE_ATTRIBUTES,
      ...(settings.OTEL_SERVICE_NAME !== undefined && { 'service.name': settings.OTEL_SERVICE_NAME }),
    },
    temporality: settings.OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE,
    intervalMs: settings.OTEL_METRIC_EXPORT_INTERVAL,
  };
}

function metricsUrl(settings: MetricsPushSettings, defaults: MetricsPushDefaults | undefined): string | undefined {
  const { OTEL_METRICS_EXPORTER: exporter, OTEL_EXPORTER_OTLP_ENDPOINT: base = DEFAULT_METRICS_ENDPOINT } = settings;
  if (settings.OTEL_SDK_DISABLED || exporter === 'none') return undefined;
  const own = settings.OTEL_EXPORTER_OTLP_METRICS_ENDPOINT;
  if (own !== undefined || exporter === undefined) return own ?? defaults?.endpoint;
  return `${base.replace(/\/+$/, '')}/v1/metrics`;
}
