import { setting } from '../../settings/index.ts';
import { compression, keyValues, milliseconds, protocol } from '../settings.ts';

/** Settings of the export of log records. */
export const logsExportSettings = {
  OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: setting
    .httpUrl()
    .optional()
    .describe(
      'URL that log records are sent to, as it is; takes precedence over `OTEL_EXPORTER_OTLP_ENDPOINT`, to which `/v1/logs` is appended.',
    ),
  OTEL_EXPORTER_OTLP_LOGS_HEADERS: keyValues()
    .optional()
    .describe('Headers sent with log records, in place of `OTEL_EXPORTER_OTLP_HEADERS`.'),
  OTEL_EXPORTER_OTLP_LOGS_TIMEOUT: milliseconds(1, 600_000).describe(
    'In place of `OTEL_EXPORTER_OTLP_TIMEOUT` for log records.',
  ),
  OTEL_EXPORTER_OTLP_LOGS_COMPRESSION: compression().describe(
    'In place of `OTEL_EXPORTER_OTLP_COMPRESSION` for log records.',
  ),
  OTEL_EXPORTER_OTLP_LOGS_PROTOCOL: protocol().describe('In place of `OTEL_EXPORTER_OTLP_PROTOCOL` for log records.'),
};
