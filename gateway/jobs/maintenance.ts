import type { Logger } from '../../platform/index.ts';
import type { JobsAdmin } from './admin.ts';

const MAINTENANCE_INTERVAL_MS = 60 * 60_000;
const RETRY_MS = 5_000;

export interface MaintenanceOptions {
  readonly retentionDays: number;
  readonly deadRetentionDays: number;
  readonly log: Logger;
}

/** Makes the partitions of the next days and drops old ones: at the start, and every hour. */
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
    const { retentionDays, deadRetentionDays, log } = this.#options;
    let nextMs = MAINTENANCE_INTERVAL_MS;
    try {
      const dropped = await this.#admin.maintain(retentionDays, deadRetentionDays);
      if (dropped.length > 0)
        log.info({ event: 'jobs.partitions_dropped', partitions: dropped }, 'dropped old partitions of finished jobs');
    } catch {
      // Whoever accepts or runs jobs reports a database that is away.
      nextMs = RETRY_MS;
    }
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => void this.#run(), nextMs);
    this.#timer.unref();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }
}
