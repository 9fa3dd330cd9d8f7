import { inSlices, type Logger } from '../../../platform/index.ts';
import { isPeriodOver } from './table-period.ts';
import { type UsageFiles, usageFileText } from './usage-file.ts';
import type { UsageTable } from './usage-table.ts';

const HOUSEKEEPING_MS = 3_600_000;
/** How often an unchanged file is written. */
const UNCHANGED_MS = 3_600_000;

export interface UsageWriterOptions {
  readonly files: UsageFiles;
  readonly intervalMs: number;
  readonly log: Logger;
  /** Returns the current table. */
  readonly table: () => UsageTable;
  /** Begins the next table. */
  readonly next: () => void;
}

/** Writes a table to its file at an interval, and begins another one each day. Failures do not affect requests. */
export class UsageWriter {
  readonly #options: UsageWriterOptions;
  readonly #timer: NodeJS.Timeout;
  /** The previous table, until its file is complete. */
  #finishing: UsageTable | undefined;
  /** The number of uses in the current file. */
  #written = 0;
  #writtenAt = 0;
  #isFailing = false;
  #cleanedAt = 0;
  #running: Promise<void> | undefined;

  constructor(options: UsageWriterOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.write(), options.intervalMs).unref();
  }

  /** Writes the current counts, and waits for the write to finish. Never rejects. */
  write(): Promise<void> {
    this.#running ??= this.#write().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    // Uses that were counted during a running write have to be written too.
    await this.#running;
    await this.write();
  }

  async #write(): Promise<void> {
    const { log, table: current, next } = this.#options;
    const now = Date.now();
    try {
      // The current file still belongs to the previous table.
      if (this.#finishing) await this.#finish(this.#finishing, now);
      const table = current();
      await this.#save(table, now);
      if (isPeriodOver(table, now)) {
        next();
        this.#finishing = table;
        await this.#finish(table, now);
      }
      await this.#clean(now);
      if (this.#isFailing) log.info({ event: 'usage.write_recovered' }, 'usage is written again');
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing)
        log.error(
          { event: 'usage.write_failed', reason: (error as NodeJS.ErrnoException).code ?? (error as Error).message },
          'usage cannot be written; counting continues in memory and writing is retried',
        );
      this.#isFailing = true;
    }
  }

  /** Uses that were counted during the last write are in no file yet. */
  async #finish(table: UsageTable, now: number): Promise<void> {
    await this.#save(table, now);
    this.#options.files.finish();
    this.#finishing = undefined;
    this.#written = 0;
    this.#writtenAt = 0;
  }

  async #save(table: UsageTable, now: number): Promise<void> {
    const { files } = this.#options;
    const counted = countedIn(table);
    // A file without uses records that there were none. A missing file does not.
    if (counted === this.#written && now - this.#writtenAt < UNCHANGED_MS) return;
    await files.write(await inSlices(usageFileText(table, files.instance, now)), table.startedAt);
    this.#written = counted;
    this.#writtenAt = now;
  }

  async #clean(now: number): Promise<void> {
    if (now - this.#cleanedAt < HOUSEKEEPING_MS) return;
    await this.#options.files.deleteOld(now);
    this.#cleanedAt = now;
  }
}

function countedIn(table: UsageTable): number {
  let count = 0;
  for (const { byRole } of table.operations)
    for (const { byClient } of byRole.values()) for (const uses of byClient.values()) count += uses.count;
  return count;
}
