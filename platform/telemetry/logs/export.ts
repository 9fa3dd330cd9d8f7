import { randomUUID } from 'node:crypto';
import { packageVersion } from '../../command-line.ts';
import { exportHead, exportRequest } from '../export-request.ts';
import { exportFailure, openOtlpTransport } from '../otlp-transport.ts';
import { ProtobufWriter } from '../protobuf-writer.ts';
import type { LogsExportConfig } from './config.ts';
import { type LogRecord, writeLogRecord } from './encode.ts';

/** The result of an export. */
export interface ExportedRecords {
  /** Whether the collector accepted the request. */
  readonly isTaken: boolean;
  /** Why the collector rejected the request or some of the records. It does not contain the collector's response. */
  readonly problem?: string;
}

/** Sends log records to a collector. */
export interface LogsExport {
  /** Never rejects. */
  send(records: readonly LogRecord[]): Promise<ExportedRecords>;
  /** Cancels what has not been sent. */
  close(): void;
}

const REQUEST_BYTES = 32 * 1024;

export async function openLogsExport(config: LogsExportConfig): Promise<LogsExport> {
  const transport = await openOtlpTransport(config);
  const version = packageVersion();
  const head = exportHead(
    {
      'service.version': version,
      'service.instance.id': randomUUID(),
      'telemetry.sdk.name': 'portico',
      'telemetry.sdk.language': 'nodejs',
      ...config.resource,
    },
    { name: 'portico', version },
  );
  return {
    send: async (records) => {
      const writer = new ProtobufWriter(REQUEST_BYTES);
      const now = Date.now();
      for (const record of records) writeLogRecord(writer, record, now);
      const { rejected, error } = await transport.send(exportRequest(head, writer.bytes()), records.length);
      if (error) return { isTaken: false, problem: exportFailure(error) };
      if (rejected === 0) return { isTaken: true };
      return { isTaken: true, problem: `the collector rejected ${rejected} of ${records.length} records` };
    },
    close: () => transport.close(),
  };
}
