import type { Logger } from '../../../platform/index.ts';
import type { JobsAdmin } from './admin.ts';
import { isLockTimeout } from './database/index.ts';

const MAINTENANCE_INTERVAL_MS = 60 * 60_000;
const RETRY_MS = 5_000;
/** The delay after a reader kept a table from being changed. Each attempt blocks jobs for half a second. */
const LOCKED_MS = 60_000;

export interface MaintenanceOptions {
  readonly retentionDays: number;
  readonly deadRetentionDays: number;
  readonly log: Logger;
}

/** Creates the partitions of the next days, drops expired ones and what killed processes left, at the start and every hour. */
export class Maintenance {
  readonly #admin: JobsAdmin;
  readonly #options: MaintenanceOptions;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(admin: JobsAdmin, options: MaintenanceOptions) {
    this.#admin = admin;
    this.#options = options;
  }

  start(): void {
    void this.#run();
  }

  async #run(): Promise<void> {
    let nextMs = MAINTENANCE_INTERVAL_MS;
    try {
      await this.#admin.makePartitions();
      await this.#dropPartitions();
      await this.#admin.sweepProgress();
    } catch (error) {
      // Accepting and running jobs reports an unavailable database.
      nextMs = isLockTimeout(error) ? LOCKED_MS : RETRY_MS;
    }
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => void this.#run(), nextMs);
    this.#timer.unref();
  }

  /** Drops each partition in its own transaction, so that jobs wait for one at most. */
  async #dropPartitions(): Promise<void> {
    const { retentionDays, deadRetentionDays, log } = this.#options;
    const partitions: string[] = [];
    try {
      for (;;) {
        const dropped = this.#isStopped ? undefined : await this.#admin.dropPartition(retentionDays, deadRetentionDays);
        if (dropped === undefined) return;
        partitions.push(dropped);
      }
    } finally {
      if (partitions.length > 0)
        log.info({ event: 'jobs.partitions_dropped', partitions }, 'dropped old partitions of finished jobs');
    }
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }
}
