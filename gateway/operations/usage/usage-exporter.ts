import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger, LogsExport } from '../../../platform/index.ts';
import { isPeriodOver } from './table-period.ts';
import { ExportedTable, type UsageRecordToExport } from './usage-records.ts';
import type { UsageTable } from './usage-table.ts';

/** Records of one request. */
const MAX_RECORDS = 500;
/** How often a period is exported in which nothing was counted. */
const UNCHANGED_MS = 3_600_000;
/** How long a stop waits for a collector that does not answer. */
const STOP_MS = 3_000;

export interface UsageExporterOptions {
  readonly exporter: LogsExport;
  readonly intervalMs: number;
  readonly log: Logger;
  /** The table that is counted in now. */
  readonly table: () => UsageTable;
  /** Begins the next one. Undefined where that is done elsewhere. */
  readonly next: (() => void) | undefined;
}

/**
 * Exports what was counted, as log records, again and again. What a collector has not accepted is part of the next export: it
 * is still in the table. Nothing of it fails a request.
 */
export class UsageExporter {
  readonly #options: UsageExporterOptions;
  readonly #timer: NodeJS.Timeout;
  #current: ExportedTable;
  /** One that is no longer counted in, until all of it is exported, or until it is replaced by the next such table. */
  #finishing: ExportedTable | undefined;
  #isFailing = false;
  /** Whether a table was given up that was not exported completely. */
  #hasLost = false;
  #running: Promise<void> | undefined;

  constructor(options: UsageExporterOptions) {
    this.#options = options;
    this.#current = new ExportedTable(options.table());
    this.#timer = setInterval(() => void this.export(), options.intervalMs).unref();
  }

  /** Exports what there is. Never rejects. */
  export(): Promise<void> {
    this.#running ??= this.#export(Date.now()).finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** Exports what is left, and waits for that no longer than a process may take to stop. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    const waited = new AbortController();
    const exported = (this.#running ?? Promise.resolve()).then(() => this.export());
    await Promise.race([exported, sleep(STOP_MS, undefined, { signal: waited.signal }).catch(() => {})]);
    waited.abort();
    this.#options.exporter.close();
  }

  async #export(now: number): Promise<void> {
    const { table, next } = this.#options;
    if (next && isPeriodOver(table(), now)) next();
    this.#follow(table());
    const problem = (await this.#finish(now)) ?? (await this.#send(this.#current, now));
    if (problem === undefined) this.#succeeded();
    else this.#failed(problem);
  }

  /** Goes on with another table where one has been begun. */
  #follow(table: UsageTable): void {
    if (table === this.#current.table) return;
    if (this.#finishing) this.#hasLost = true;
    this.#finishing = this.#current;
    this.#current = new ExportedTable(table);
  }

  async #finish(now: number): Promise<string | undefined> {
    if (!this.#finishing) return undefined;
    const problem = await this.#send(this.#finishing, now);
    if (problem === undefined) this.#finishing = undefined;
    return problem;
  }

  /** @returns what went wrong; undefined where all was accepted. */
  async #send(exported: ExportedTable, now: number): Promise<string | undefined> {
    if (exported.isComplete && now - exported.to < UNCHANGED_MS) return undefined;
    let batch: UsageRecordToExport[] = [];
    for (const record of exported.records(now)) {
      batch.push(record);
      if (batch.length < MAX_RECORDS) continue;
      const problem = await this.#sendBatch(batch);
      if (problem !== undefined) return problem;
      batch = [];
    }
    return batch.length === 0 ? undefined : this.#sendBatch(batch);
  }

  async #sendBatch(batch: readonly UsageRecordToExport[]): Promise<string | undefined> {
    const { isTaken, problem } = await this.#options.exporter.send(batch.map(({ record }) => record));
    // What was rejected would be rejected again.
    if (isTaken) for (const { accepted } of batch) accepted();
    return problem;
  }

  #failed(reason: string): void {
    if (!this.#isFailing)
      this.#options.log.warn(
        { event: 'usage.export_failed', reason },
        'usage cannot be exported; counting continues in memory and the export is retried',
      );
    this.#isFailing = true;
  }

  #succeeded(): void {
    if (!this.#isFailing) return;
    this.#options.log.info({ event: 'usage.export_recovered', incomplete: this.#hasLost }, 'usage is exported again');
    this.#isFailing = false;
    this.#hasLost = false;
  }
}
