import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JobsDatabase } from './database/index.ts';

/** The holder counts its lease as lost this part of it earlier than the others do. */
const MARGIN = 1 / 10;
const RETRY_MS = 1_000;
const LEAVE_MS = 3_000;

export interface LeaseListeners {
  /** Jobs that this process runs, by id: others that the database has as its own are given back. */
  held(): readonly string[];
  onCancelled(ids: readonly string[]): void;
  /** Others may run the jobs of this process now. */
  onLost(): void;
  /** The database did not answer, and does again (undefined). */
  onTrouble(error: unknown): void;
}

interface HeartbeatRow {
  readonly was_known: boolean;
  readonly cancelled: readonly string[] | null;
}

/** The lease of a process that runs jobs: one row in the database, renewed by a heartbeat. Times are the database's. */
export class Lease {
  readonly id = randomUUID();
  readonly #database: JobsDatabase;
  readonly #listeners: LeaseListeners;
  readonly #leaseMs: number;
  /** Until when it holds, by this process's monotonic clock. */
  #validUntil = Number.NEGATIVE_INFINITY;
  #wasHeld = false;
  #timer: NodeJS.Timeout | undefined;
  /** Ends what runs when the lease does, also while a heartbeat waits for its answer. */
  #expiry: NodeJS.Timeout | undefined;
  #beating: Promise<void> | undefined;
  #isClosed = false;

  /** @param leaseMs how long it holds without a heartbeat: so long a killed process's jobs stay away. */
  constructor(database: JobsDatabase, listeners: LeaseListeners, leaseMs: number) {
    this.#database = database;
    this.#listeners = listeners;
    this.#leaseMs = leaseMs;
  }

  get isHeld(): boolean {
    return performance.now() < this.#validUntil;
  }

  /** Renews it now; used before the first job, and when another process has cancelled one. Never rejects. */
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
      // Another process has given its jobs away: what runs here runs there too.
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
    // A heartbeat that was answered late has left no time, and Node warns of a negative one.
    this.#expiry = setTimeout(() => this.#expire(), Math.max(0, until - performance.now()));
    this.#expiry.unref();
  }

  #expire(): void {
    // Timers are whole milliseconds.
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

  /** Gives the jobs that are still held to others. A database that does not answer in time finds out when the lease ends. */
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
