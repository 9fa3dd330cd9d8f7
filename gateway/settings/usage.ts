import { setting } from '../../platform/index.ts';

/** Recording and export of the use of operations and fields. */
export const usageSettings = {
  PORTICO_USAGE_DIR: setting
    .text()
    .optional()
    .describe(
      'Directory for the files that record which operations and fields clients use. `portico usage` and `portico check --usage` read these files. Usage is recorded only if this setting, `PORTICO_USAGE_OTLP` or `PORTICO_HIVE_USAGE_ENDPOINT` is set. See [usage.md](usage.md).',
    ),
  PORTICO_USAGE_INTERVAL_SECONDS: setting
    .integer(60, 1, 86_400, 'seconds')
    .describe(
      'How often usage is written to files and exported. A killed process loses the usage that it has counted since the last time.',
    ),
  PORTICO_USAGE_RETENTION_DAYS: setting.integer(90, 1, 3_650, 'days').describe('How long usage files are kept.'),
  PORTICO_USAGE_MAX_OPERATIONS: setting
    .integer(2_000, 10, 100_000)
    .describe(
      'Maximum number of operations that a process counts separately per day. All others are counted together as `other`.',
    ),
  PORTICO_USAGE_MAX_CLIENTS: setting
    .integer(500, 10, 100_000)
    .describe(
      'Maximum number of client names that a process counts separately per day. All others are counted together as `other`.',
    ),
  PORTICO_USAGE_OTLP: setting
    .flag(false)
    .describe(
      'Whether usage is exported as log records over OTLP, to `OTEL_EXPORTER_OTLP_LOGS_ENDPOINT` or `OTEL_EXPORTER_OTLP_ENDPOINT`. See [usage.md](usage.md#over-otlp).',
    ),
  PORTICO_HIVE_USAGE_ENDPOINT: setting
    .httpUrl()
    .optional()
    .describe(
      "URL to which usage is reported in Hive's format, such as `https://app.graphql-hive.com/usage/<target>`. See [usage.md](usage.md#a-registry).",
    ),
  PORTICO_HIVE_USAGE_TOKEN: setting
    .text()
    .regex(/^[\x21-\x7e]+$/, 'expected printable characters without spaces')
    .optional()
    .meta({
      description: 'Access token for `PORTICO_HIVE_USAGE_ENDPOINT`.',
      required: 'with `PORTICO_HIVE_USAGE_ENDPOINT`',
    }),
  PORTICO_UNSAFE_HIVE_USAGE_HTTP: setting
    .flag(false)
    .describe(
      'Whether reports and the access token may be sent to another machine over plain HTTP, where they can be intercepted.',
    ),
  PORTICO_HIVE_USAGE_SAMPLE_PERCENT: setting
    .integer(100, 1, 100, 'percent')
    .describe('Percentage of operations that are reported, chosen at random.'),
  PORTICO_HIVE_USAGE_GZIP: setting
    .flag(false)
    .describe("Whether reports are compressed with gzip. Hive's own server does not accept compressed reports."),
};
