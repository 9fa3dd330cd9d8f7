import type { PendingLog } from './pending-log.ts';

const INTROSPECTION_RETRY_MS = { first: 250, most: 15_000 };

/** The polled remote schemas, by name. */
export interface PolledRemotes {
  /** Whether the last introspection of a remote schema failed or its result was unusable. */
  needsRetry(name: string): boolean;
  /** Subgraphs that currently cannot be composed with the others. */
  left(): readonly string[];
  /** Whether a remote schema is missing in the active generation. */
  isMissing(name: string): boolean;
  /** The time between two introspections in milliseconds, if the metadata sets an interval. */
  intervalMs(name: string): number | undefined;
  /** Introspects a remote schema again and activates the result if it has changed. */
  retry(name: string): Promise<void>;
  refresh(name: string): Promise<void>;
}

/**
 * Repeats introspections of remote schemas while a registry is served. After a failure, pauses double up to 15 s.
 * Otherwise the intervals of the metadata apply.
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

  /** Starts to poll a remote schema that has been introspected once. */
  start(name: string): void {
    if (this.#remotes.needsRetry(name)) this.#retry(name, INTROSPECTION_RETRY_MS.first);
    const intervalMs = this.#remotes.intervalMs(name);
    if (intervalMs !== undefined) this.#refreshEvery(name, intervalMs);
  }

  /** Starts to poll the subgraphs that cannot be composed with the others. */
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
