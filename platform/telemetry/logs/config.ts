import type { z } from 'zod';
import type { OtlpTransportOptions } from '../otlp-transport.ts';
import type { otlpSettings } from '../settings.ts';
import type { logsExportSettings } from './settings.ts';

/** The settings of the export, as `readSettings` returns them. */
export type LogsExportSettings = Readonly<z.output<z.ZodObject<typeof otlpSettings & typeof logsExportSettings>>>;

/** How log records are exported. */
export interface LogsExportConfig extends OtlpTransportOptions {
  readonly resource: Readonly<Record<string, string>>;
}

const DEFAULT_LOGS_ENDPOINT = 'http://localhost:4318';
const DEFAULT_EXPORT_TIMEOUT_MS = 10_000;

/**
 * Returns how log records are exported by the settings.
 *
 * @param serviceName the name if `OTEL_SERVICE_NAME` is not set.
 * @returns undefined if OpenTelemetry is off.
 */
export function logsExportConfig(settings: LogsExportSettings, serviceName: string): LogsExportConfig | undefined {
  if (settings.OTEL_SDK_DISABLED) return undefined;
  const { OTEL_EXPORTER_OTLP_ENDPOINT: base = DEFAULT_LOGS_ENDPOINT } = settings;
  return {
    url: settings.OTEL_EXPORTER_OTLP_LOGS_ENDPOINT ?? `${base.replace(/\/+$/, '')}/v1/logs`,
    headers: settings.OTEL_EXPORTER_OTLP_LOGS_HEADERS ?? settings.OTEL_EXPORTER_OTLP_HEADERS ?? {},
    timeoutMs:
      settings.OTEL_EXPORTER_OTLP_LOGS_TIMEOUT ?? settings.OTEL_EXPORTER_OTLP_TIMEOUT ?? DEFAULT_EXPORT_TIMEOUT_MS,
    compression: settings.OTEL_EXPORTER_OTLP_LOGS_COMPRESSION ?? settings.OTEL_EXPORTER_OTLP_COMPRESSION ?? 'none',
    resource: {
      'service.name': serviceName,
      ...settings.OTEL_RESOURCE_ATTRIBUTES,
      ...(settings.OTEL_SERVICE_NAME !== undefined && { 'service.name': settings.OTEL_SERVICE_NAME }),
    },
  };
}
