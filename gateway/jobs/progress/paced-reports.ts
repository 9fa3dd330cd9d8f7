import type { Logger } from '../../../platform/index.ts';
import type { ProgressChange, ProgressStore, ReportingAttempt } from '../engine/index.ts';

/** The most attempts whose reports this process paces at a time. */
const MAX_ATTEMPTS = 10_000;

/** What a report has led to. `later` if it is written together with the reports that follow it. */
export type Reported = 'written' | 'later' | 'over' | 'too-many';

/** An attempt that has just reported. */
interface PacedAttempt {
  readonly attempt: ReportingAttempt;
  /** The reports since the last write. */
  pending: ProgressChange | undefined;
  timer: NodeJS.Timeout | undefined;
}

/**
 * Writes the progress of each attempt at most `perSecond` times a second. Reports between two writes are merged, and the
 * last value of each member is written. Each process counts for itself.
 */
export class PacedReports {
  readonly #store: ProgressStore;
  readonly #intervalMs: number;
  readonly #log: Logger;
  /** By credential. An attempt leaves when its interval has passed without another report. */
  readonly #attempts = new Map<string, PacedAttempt>();

  constructor(store: ProgressStore, perSecond: number, log: Logger) {
    this.#store = store;
    this.#intervalMs = 1_000 / perSecond;
    this.#log = log;
  }

  /** Returns the attempt of a credential if it has just reported, so that the database need not be asked. */
  recent(credential: string): ReportingAttempt | undefined {
    return this.#attempts.get(credential)?.attempt;
  }

  /** @throws GatewayError if the database does not respond. */
  async add(credential: string, attempt: ReportingAttempt, change: ProgressChange): Promise<Reported> {
    const known = this.#attempts.get(credential);
    if (known) {
      known.pending = { ...known.pending, ...change };
      return 'later';
    }
    if (this.#attempts.size >= MAX_ATTEMPTS) return 'too-many';
    const paced: PacedAttempt = { attempt, pending: undefined, timer: undefined };
    // Reports that arrive during the write are merged.
    this.#attempts.set(credential, paced);
    try {
      if (await this.#store.report(credential, change)) {
        this.#wait(credential, paced);
        return 'written';
      }
      this.#attempts.delete(credential);
      return 'over';
    } catch (error) {
      this.#attempts.delete(credential);
      if (paced.pending) this.#logLost(paced, error);
      throw error;
    }
  }

  #wait(credential: string, paced: PacedAttempt): void {
    paced.timer = setTimeout(() => void this.#flush(credential, paced), this.#intervalMs);
  }

  async #flush(credential: string, paced: PacedAttempt): Promise<void> {
    const { pending } = paced;
    paced.pending = undefined;
    if (!pending) {
      this.#attempts.delete(credential);
      return;
    }
    try {
      if (await this.#store.report(credential, pending)) this.#wait(credential, paced);
      else this.#attempts.delete(credential);
    } catch (error) {
      this.#attempts.delete(credential);
      this.#logLost(paced, error);
    }
  }

  #logLost({ attempt: { job, queue } }: PacedAttempt, error: unknown): void {
    this.#log.warn(
      { event: 'jobs.progress_lost', job, queue, err: (error as Error).cause ?? error },
      'a report of progress was not stored',
    );
  }

  /** Writes what is pending. */
  async close(): Promise<void> {
    await Promise.all(
      [...this.#attempts].map(([credential, paced]) => {
        clearTimeout(paced.timer);
        return this.#flush(credential, paced);
      }),
    );
    for (const { timer } of this.#attempts.values()) clearTimeout(timer);
    this.#attempts.clear();
  }
}
