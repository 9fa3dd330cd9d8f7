import type { PendingLog } from './pending-log.ts';

const INTROSPECTION_RETRY_MS = { first: 250, most: 15_000 };

/** The remote schemas that are polled, by their names. */
export interface PolledRemotes {
  /** Whether the last introspection of a remote schema has failed, or its result could not be used. */
  needsRetry(name: string): boolean;
  /** Subgraphs that cannot be composed with the others at the moment. */
  left(): readonly string[];
  /** Whether the active generation is without a remote schema. */
  isMissing(name: string): boolean;
  /** Milliseconds between two introspections, where the metadata sets an interval. */
  intervalMs(name: string): number | undefined;
  /** Introspects a remote schema again, and activates the result if it has changed. */
  retry(name: string): Promise<void>;
  refresh(name: string): Promise<void>;
}

/**
 * Introspects remote schemas again for as long as a registry is served: after a failure, with pauses that double up to
 * 15 s, and at the intervals of the metadata.
 */
export class IntrospectionPoller {
  readonly #remotes: PolledRemotes;
  readonly #log: PendingLog;
  readonly #timers = new Set<NodeJS.Timeout>();
  /** Remote schemas whose retry is scheduled. */
  readonly #retried = new Set<string>();
  #compositionPauseMs = INTROSPECTION_RETRY_MS.first;
  #stopped = false;

  constructor(remotes: PolledRemotes, log: PendingLog) {
    this.#remotes = remotes;
    this.#log = log;
  }

  /** Polls a remote schema that has been introspected once. */
  start(name: string): void {
    if (this.#remotes.needsRetry(name)) this.#retry(name, INTROSPECTION_RETRY_MS.first);
    const intervalMs = this.#remotes.intervalMs(name);
    if (intervalMs !== undefined) this.#refreshEvery(name, intervalMs);
  }

  /** Polls the subgraphs that cannot be composed with the others. */
  retryLeft(): void {
    for (const name of this.#remotes.left()) this.#retry(name, INTROSPECTION_RETRY_MS.first);
  }

  /** Schedules another composition after one that failed unexpectedly. */
  retryComposition(compose: () => Promise<void>): void {
    this.schedule(this.#compositionPauseMs, compose);
    this.#compositionPauseMs = Math.min(this.#compositionPauseMs * 2, INTROSPECTION_RETRY_MS.most);
  }

  compositionSucceeded(): void {
    this.#compositionPauseMs = INTROSPECTION_RETRY_MS.first;
  }

  schedule(delayMs: number, action: () => Promise<void>): void {
    if (this.#stopped) return;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      action().catch((error) =>
        this.#log.error({ event: 'remote_schema.polling_failed', err: error }, 'polling of a remote schema failed'),
      );
    }, delayMs).unref();
    this.#timers.add(timer);
  }

  stop(): void {
    this.#stopped = true;
    for (const timer of this.#timers) clearTimeout(timer);
  }

  #retry(name: string, pauseMs: number): void {
    if (this.#retried.has(name)) return;
    this.#retried.add(name);
    this.schedule(pauseMs, async () => {
      this.#retried.delete(name);
      try {
        await this.#remotes.retry(name);
      } finally {
        if (this.#remotes.needsRetry(name) || this.#remotes.left().includes(name) || this.#remotes.isMissing(name))
          this.#retry(name, Math.min(pauseMs * 2, INTROSPECTION_RETRY_MS.most));
        this.retryLeft();
      }
    });
  }

  #refreshEvery(name: string, intervalMs: number): void {
    this.schedule(intervalMs, async () => {
      try {
        await this.#remotes.refresh(name);
      } finally {
        this.#refreshEvery(name, intervalMs);
      }
    });
  }
}
