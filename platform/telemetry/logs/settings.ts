import { setting } from '../../settings/index.ts';
import { compression, keyValues, milliseconds, protocol } from '../settings.ts';

/** Settings of the export of log records. */
export const logsExportSettings = {
  OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: setting
    .httpUrl()
    .optional()
    .describe(
      'URL to which log records are sent, used without changes. Overrides `OTEL_EXPORTER_OTLP_ENDPOINT`, to which `/v1/logs` is appended.',
    ),
  OTEL_EXPORTER_OTLP_LOGS_HEADERS: keyValues()
    .optional()
    .describe('Headers sent with log records. Overrides `OTEL_EXPORTER_OTLP_HEADERS`.'),
  OTEL_EXPORTER_OTLP_LOGS_TIMEOUT: milliseconds(1, 600_000).describe(
    'Overrides `OTEL_EXPORTER_OTLP_TIMEOUT` for log records.',
  ),
  OTEL_EXPORTER_OTLP_LOGS_COMPRESSION: compression().describe(
    'Overrides `OTEL_EXPORTER_OTLP_COMPRESSION` for log records.',
  ),
  OTEL_EXPORTER_OTLP_LOGS_PROTOCOL: protocol().describe('Overrides `OTEL_EXPORTER_OTLP_PROTOCOL` for log records.'),
};
