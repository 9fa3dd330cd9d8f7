import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JobsDatabase } from './database/index.ts';

/** The part of a lease by which its holder gives it up before other processes may take it over. */
const MARGIN = 1 / 10;
const RETRY_MS = 1_000;
const LEAVE_MS = 3_000;

export interface LeaseListeners {
  /** Returns the ids of the jobs that run here. Other jobs that the database assigns to this process are given back. */
  held(): readonly string[];
  onCancelled(ids: readonly string[]): void;
  /** Called when other processes may run the jobs of this process. */
  onLost(): void;
  /** Called when the database does not respond, and with undefined when it responds again. */
  onTrouble(error: unknown): void;
}

interface HeartbeatRow {
  readonly was_known: boolean;
  readonly cancelled: readonly string[] | null;
}

/** The lease of a process that runs jobs: one row in the database, renewed by heartbeats. Times are the database's. */
export class Lease {
  readonly id = randomUUID();
  readonly #database: JobsDatabase;
  readonly #listeners: LeaseListeners;
  readonly #leaseMs: number;
  /** The end of the lease by this process's monotonic clock. */
  #validUntil = Number.NEGATIVE_INFINITY;
  #wasHeld = false;
  #timer: NodeJS.Timeout | undefined;
  /** Aborts running jobs when the lease ends, even if a heartbeat is still waiting for its response. */
  #expiry: NodeJS.Timeout | undefined;
  #beating: Promise<void> | undefined;
  #isClosed = false;

  /** @param leaseMs how long the lease holds without a heartbeat. The jobs of a killed process wait this long. */
  constructor(database: JobsDatabase, listeners: LeaseListeners, leaseMs: number) {
    this.#database = database;
    this.#listeners = listeners;
    this.#leaseMs = leaseMs;
  }

  get isHeld(): boolean {
    return performance.now() < this.#validUntil;
  }

  /** Renews the lease now: before the first job, and when another process has cancelled a job. Never rejects. */
  beat(): Promise<void> {
    this.#beating ??= this.#beat().finally(() => {
      this.#beating = undefined;
    });
    return this.#beating;
  }

  async #beat(): Promise<void> {
    clearTimeout(this.#timer);
    const sentAt = performance.now();
    try {
      const name = `${hostname()}:${process.pid}`;
      const [row] = await this.#database.query<HeartbeatRow>(
        'SELECT was_known, cancelled FROM portico_jobs.heartbeat($1, $2, $3, $4)',
        [this.id, name, this.#leaseMs, this.#listeners.held()],
      );
      // Another process has released these jobs, so they may also run elsewhere.
      if (this.#wasHeld && !row?.was_known) this.#listeners.onLost();
      this.#wasHeld = true;
      this.#extend(sentAt + this.#leaseMs * (1 - MARGIN));
      this.#listeners.onTrouble(undefined);
      if (row?.cancelled) this.#listeners.onCancelled(row.cancelled);
      this.#plan(this.#leaseMs / 3);
    } catch (error) {
      this.#listeners.onTrouble(error);
      this.#plan(RETRY_MS);
    }
  }

  /** @param until by this process's monotonic clock. */
  #extend(until: number): void {
    this.#validUntil = until;
    clearTimeout(this.#expiry);
    if (this.#isClosed) return;
    // A late response to a heartbeat may leave no time, and Node.js warns about negative timeouts.
    this.#expiry = setTimeout(() => this.#expire(), Math.max(0, until - performance.now()));
    this.#expiry.unref();
  }

  #expire(): void {
    // Timers have a resolution of whole milliseconds.
    if (this.isHeld) this.#extend(this.#validUntil);
    else if (this.#wasHeld) {
      this.#wasHeld = false;
      this.#listeners.onLost();
    }
  }

  #plan(ms: number): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => void this.beat(), ms);
    this.#timer.unref();
  }

  /** Releases the jobs that are still held. If the database does not respond in time, they are released when the lease ends. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#expiry);
    await Promise.race([this.#leave(), sleep(LEAVE_MS, undefined, { ref: false })]);
  }

  async #leave(): Promise<void> {
    await this.#beating;
    this.#validUntil = Number.NEGATIVE_INFINITY;
    if (this.#wasHeld) await this.#database.query('SELECT portico_jobs.leave($1)', [this.id]).catch(() => {});
  }
}
