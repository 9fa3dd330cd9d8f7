import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger, LogsExport } from '../../../platform/index.ts';
import { isPeriodOver } from './table-period.ts';
import { ExportedTable, type UsageRecordToExport } from './usage-records.ts';
import type { UsageTable } from './usage-table.ts';

/** The most records of one request. */
const MAX_RECORDS = 500;
/** How often a period without uses is exported. */
const UNCHANGED_MS = 3_600_000;
/** How long a stop waits for a collector that does not respond. */
const STOP_MS = 3_000;

export interface UsageExporterOptions {
  readonly exporter: LogsExport;
  readonly intervalMs: number;
  readonly log: Logger;
  /** Returns the current table. */
  readonly table: () => UsageTable;
  /** Begins the next table. Undefined if another component does this. */
  readonly next: (() => void) | undefined;
}

/**
 * Exports the counts as log records at an interval. Counts that a collector has not accepted are part of the next export, since
 * they remain in the table. Failures do not affect requests.
 */
export class UsageExporter {
  readonly #options: UsageExporterOptions;
  readonly #timer: NodeJS.Timeout;
  #current: ExportedTable;
  /** The previous table, until it is exported completely or replaced by the next previous one. */
  #finishing: ExportedTable | undefined;
  #isFailing = false;
  /** Whether a table was discarded before it was exported completely. */
  #hasLost = false;
  #running: Promise<void> | undefined;

  constructor(options: UsageExporterOptions) {
    this.#options = options;
    this.#current = new ExportedTable(options.table());
    this.#timer = setInterval(() => void this.export(), options.intervalMs).unref();
  }

  /** Exports the current counts. Never rejects. */
  export(): Promise<void> {
    this.#running ??= this.#export(Date.now()).finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** Exports the remaining counts. Waits no longer than a stopping process may. */
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

  /** Switches to another table if one has been begun. */
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

  /** @returns the problem, or undefined if everything was accepted. */
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
    // Rejected records would be rejected again, so they count as exported.
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
