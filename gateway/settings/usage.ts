import { setting } from '../../platform/index.ts';

/** Recording and export of the use of operations and fields. */
export const usageSettings = {
  PORTICO_USAGE_DIR: setting
    .text()
    .optional()
    .describe(
      'Directory for files that tell which operations and fields clients use, which `portico usage` and `portico check --usage` read. Without it, `PORTICO_USAGE_OTLP` and a registry nothing is counted. See [usage.md](usage.md).',
    ),
  PORTICO_USAGE_INTERVAL_SECONDS: setting
    .integer(60, 1, 86_400, 'seconds')
    .describe(
      'How often these files are written and usage is exported: a process that is killed loses what it counted since.',
    ),
  PORTICO_USAGE_RETENTION_DAYS: setting.integer(90, 1, 3_650, 'days').describe('How long these files are kept.'),
  PORTICO_USAGE_MAX_OPERATIONS: setting
    .integer(2_000, 10, 100_000)
    .describe('Operations that a process counts separately in a day. All others are counted together as `other`.'),
  PORTICO_USAGE_MAX_CLIENTS: setting
    .integer(500, 10, 100_000)
    .describe(
      'Names of clients that a process counts separately in a day. All others are counted together as `other`.',
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
      'Where usage is reported in the format of Hive, such as `https://app.graphql-hive.com/usage/<target>`. See [usage.md](usage.md#a-registry).',
    ),
  PORTICO_HIVE_USAGE_TOKEN: setting
    .text()
    .regex(/^[\x21-\x7e]+$/, 'expected printable characters without spaces')
    .optional()
    .meta({ description: 'Access token for it.', required: 'with `PORTICO_HIVE_USAGE_ENDPOINT`' }),
  PORTICO_UNSAFE_HIVE_USAGE_HTTP: setting
    .flag(false)
    .describe(
      'Whether reports and the access token may be sent over plain HTTP to another machine, where anybody on the way can read them.',
    ),
  PORTICO_HIVE_USAGE_SAMPLE_PERCENT: setting
    .integer(100, 1, 100, 'percent')
    .describe('How many of the operations are reported to it, chosen at random.'),
  PORTICO_HIVE_USAGE_GZIP: setting
    .flag(false)
    .describe("Whether reports are compressed with gzip. Hive's own server does not take compressed ones."),
};
