import { DAY_MS, type Logger, type LogsExportConfig, logText, openLogsExport } from '../../../platform/index.ts';
import { describeUsedOperation, type OperationToCount } from './describe-operation.ts';
import { hiveOperation } from './hive-operation.ts';
import { HiveReporter, type HiveSettings, type SendReport } from './hive-reporter.ts';
import { OperationUsage, type UsageTarget } from './operation-usage.ts';
import { UsageExporter } from './usage-exporter.ts';
import { UsageFiles } from './usage-file.ts';
import { type UsageBounds, UsageTable } from './usage-table.ts';
import { UsageWriter } from './usage-writer.ts';

export interface UsageSettings {
  /** Where usage files are written. Undefined writes none. */
  readonly files: { readonly directory: string; readonly retentionDays: number } | undefined;
  /** Where usage is exported as log records. Undefined exports none. */
  readonly otlp: LogsExportConfig | undefined;
  /** The interval of writes and exports, in milliseconds. */
  readonly intervalMs: number;
  /** Undefined sends no reports. */
  readonly hive: HiveSettings | undefined;
  readonly bounds: UsageBounds;
}

export interface UsageOptions extends UsageSettings {
  /** The role of callers without a session. */
  readonly publicRole: string;
  readonly send: SendReport;
  readonly log: Logger;
}

/** Counts which operations and parts of the schema clients use. Usage contains no values, users or tenants. */
export interface Usage {
  /** Returns the counter of an operation for one role, to be kept with the operation's document. */
  of(operation: OperationToCount): OperationUsage;
  /** Writes and sends the remaining counts. */
  stop(): Promise<void>;
}

/** The most characters of a role. */
const MAX_ROLE = 128;

export async function openUsage(options: UsageOptions): Promise<Usage> {
  const { files, otlp, intervalMs, bounds, publicRole, send, log } = options;
  const hive = options.hive && new HiveReporter({ ...options.hive, send, log });
  const target: UsageTarget & { table: UsageTable } = { table: new UsageTable(bounds), hive };
  const next = () => {
    target.table = new UsageTable(bounds);
  };
  const writer =
    files &&
    new UsageWriter({
      files: new UsageFiles(files.directory, files.retentionDays),
      intervalMs,
      log,
      table: () => target.table,
      next,
    });
  const exporter =
    otlp &&
    new UsageExporter({
      exporter: await openLogsExport(otlp),
      intervalMs,
      log,
      table: () => target.table,
      next: files ? undefined : next,
    });
  const renewal = files || exporter ? undefined : setInterval(next, DAY_MS).unref();
  return {
    of: (operation) => {
      const description = describeUsedOperation(operation);
      return new OperationUsage({
        target,
        description,
        role: logText(operation.role, MAX_ROLE),
        isPublic: operation.role === publicRole,
        hive: hive && hiveOperation(operation, description),
      });
    },
    stop: async () => {
      clearInterval(renewal);
      await Promise.all([writer?.stop(), exporter?.stop(), hive?.stop()]);
    },
  };
}
