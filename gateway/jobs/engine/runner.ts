import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger, Span, Telemetry } from '../../../platform/index.ts';
import { type ClaimedRow, claimJobs, type LaneCursor, NO_LANE, nextDueMs } from './claim.ts';
import type { JobCounts } from './counts.ts';
import { type JobsDatabase, JobsDatabaseUnusable } from './database/index.ts';
import { interrupted, type JobHandler, type JobOutcome, retryLater } from './job.ts';
import { Lease } from './lease.ts';
import { labelsOf, settledRowOf } from './outcomes.ts';
import { PausedQueues, PauseWriter } from './paused-queues.ts';
import { type Settled, type Settlement, Settlements, settlementOf, unstorable } from './settlements.ts';

/** The poll interval in case notifications are lost, in milliseconds. */
const FALLBACK_POLL_MS = 15_000;
/** The poll interval if notifications do not arrive. */
const POLL_MS = 1_000;
const RETRY_MS = 1_000;

export interface RunnerOptions {
  readonly database: JobsDatabase;
  readonly counts: JobCounts;
  readonly telemetry: Pick<Telemetry, 'tracer'>;
  readonly log: Logger;
  /** How many jobs run at a time in this process. */
  readonly slots: number;
  /** Whether notifications of other processes arrive. */
  readonly isNotified: () => boolean;
  /** How long this process keeps its jobs without a heartbeat, in milliseconds. */
  readonly leaseMs: number;
  /** Called with the id of each finished job. */
  readonly onSettled: (id: string) => void;
}

interface RunInProgress {
  readonly controller: AbortController;
  readonly attempt: number;
}

/**
 * Claims jobs for the free slots of this process, runs their handlers and writes the outcomes. An idle runner sends only
 * heartbeats, until a notification or the time of the next job wakes it.
 */
export class JobRunner {
  readonly #options: RunnerOptions;
  readonly #handlers: ReadonlyMap<string, JobHandler>;
  readonly #lease: Lease;
  readonly #running = new Map<string, RunInProgress>();
  readonly #paused = new PausedQueues();
  readonly #pauseWriter: PauseWriter;
  readonly #settlements: Settlements;
  #cursor: LaneCursor = NO_LANE;
  #claiming: Promise<void> | undefined;
  #isWanted = false;
  #timer: NodeJS.Timeout | undefined;
  /** Set once no more jobs start. */
  #isDraining = false;
  /** Set once failed writes of outcomes are no longer retried. */
  #isStopping = false;
  #isTroubled = false;
  #onIdle: (() => void) | undefined;

  /** @param handlers by kind. Handlers that are added later are used too. */
  constructor(handlers: ReadonlyMap<string, JobHandler>, options: RunnerOptions) {
    this.#handlers = handlers;
    this.#options = options;
    this.#lease = new Lease(
      options.database,
      {
        held: () => [...this.#running.keys()],
        onCancelled: (ids) => this.#abort(ids),
        onLost: () => {
          options.log.warn({ event: 'jobs.lease_lost', running: this.#running.size }, 'lost the lease of running jobs');
          this.#abort(this.#running.keys());
        },
        onTrouble: (error) => this.#report(error),
      },
      options.leaseMs,
    );
    this.#pauseWriter = new PauseWriter({
      database: options.database,
      paused: this.#paused,
      leaseId: () => this.#lease.id,
    });
    this.#settlements = new Settlements({
      database: options.database,
      leaseId: () => this.#lease.id,
      isStopping: () => this.#isStopping,
      onTrouble: (error) => this.#report(error),
    });
  }

  /** The number of running jobs. */
  get running(): number {
    return this.#running.size;
  }

  /** Checks for jobs. Any number of calls during a claim cause one more claim. */
  wake(): void {
    if (this.#isDraining) return;
    if (this.#claiming) {
      this.#isWanted = true;
      return;
    }
    if (this.#running.size >= this.#options.slots) return;
    clearTimeout(this.#timer);
    this.#claiming = this.#claim().finally(() => {
      this.#claiming = undefined;
      if (!this.#isWanted) return;
      this.#isWanted = false;
      this.wake();
    });
  }

  /** Checks whether another process has cancelled a job that runs here. */
  checkCancelled(): void {
    if (this.#running.size > 0) void this.#lease.beat();
  }

  async #claim(): Promise<void> {
    if (this.#handlers.size === 0) return;
    try {
      if (!this.#lease.isHeld) await this.#lease.beat();
      if (!this.#lease.isHeld) {
        this.#plan(RETRY_MS);
        return;
      }
      const free = this.#options.slots - this.#running.size;
      const { database, isNotified } = this.#options;
      const claimedAt = performance.now();
      const { rows, cursor } = await claimJobs(database, {
        runner: this.#lease.id,
        slots: free,
        handlers: this.#handlers,
        paused: this.#paused.keys(claimedAt),
        cursor: this.#cursor,
      });
      this.#cursor = cursor;
      // The claim may have taken longer than the lease, or the process may have begun to stop meanwhile.
      const mayBegin = this.#lease.isHeld && !this.#isDraining;
      for (const row of rows) this.#begin(row, mayBegin);
      // A full claim means that there may be more jobs, so free slots claim again.
      if (rows.length >= free) this.#isWanted ||= this.#running.size < this.#options.slots;
      else
        this.#plan(
          Math.min(
            isNotified() ? FALLBACK_POLL_MS : POLL_MS,
            await nextDueMs(database),
            this.#paused.nextEndMs(claimedAt),
          ),
        );
      this.#report(undefined);
    } catch (error) {
      this.#report(error);
      this.#plan(RETRY_MS * (1 + Math.random()));
    }
  }

  #plan(ms: number): void {
    if (this.#isDraining) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.wake(), Math.max(1, ms));
    this.#timer.unref();
  }

  /** @param isRun false to give the job back. */
  #begin(row: ClaimedRow, isRun: boolean): void {
    const run = { controller: new AbortController(), attempt: row.attempts };
    this.#running.set(row.id, run);
    const ended = isRun ? this.#run(row, run) : this.#settle(settlementOf(settledRowOf(row, interrupted())));
    void ended.finally(() => {
      if (this.#running.get(row.id) === run) this.#running.delete(row.id);
      if (this.#running.size === 0) this.#onIdle?.();
      this.wake();
    });
  }

  async #run(row: ClaimedRow, { controller }: RunInProgress): Promise<void> {
    const { counts, telemetry } = this.#options;
    const startedAt = performance.now();
    const span = telemetry.tracer?.startRequest({
      name: `run job ${row.kind}`,
      kind: 'consumer',
      headers: row.trace ?? {},
      isTrusted: true,
    });
    counts.began(row.kind, row.waited_ms);
    const outcome: JobOutcome = row.is_expired
      ? { outcome: 'expired' }
      : await this.#handle(row, span, controller.signal);
    if (this.#paused.ended(row, outcome)) this.#pauseWriter.changed();
    const settlement = settlementOf(settledRowOf(row, outcome));
    const labels = labelsOf(settlement.row);
    const durationMs = performance.now() - startedAt;
    span?.setAttribute('portico.job.kind', row.kind);
    span?.setAttribute('portico.job.attempt', row.attempts);
    span?.setAttribute('portico.job.outcome', labels.outcome);
    if (labels.reason !== '') span?.fail(labels.reason);
    span?.end();
    const written = await this.#settle(settlement);
    const { outcome: label, reason } = written === 'unstorable' ? labelsOf(unstorable(settlement.row)) : labels;
    counts.ended(row.kind, label, reason, durationMs);
    if (label === 'dead') this.#logDead(row, reason);
    if (written === 'unstorable' || (written === 'taken' && settlement.row.outcome !== 'scheduled'))
      this.#options.onSettled(row.id);
  }

  #settle(settlement: Settlement): Promise<Settled> {
    return this.#settlements.add(settlement).catch((error: unknown) => {
      this.#report(error);
      return 'refused';
    });
  }

  #logDead({ id, kind, queue, attempts }: ClaimedRow, reason: string): void {
    this.#options.log.warn(
      { event: 'jobs.dead', job: id, kind, queue, reason, attempts },
      'a job has failed for the last time',
    );
  }

  async #handle(row: ClaimedRow, span: Span | undefined, signal: AbortSignal): Promise<JobOutcome> {
    const handler = this.#handlers.get(row.kind);
    try {
      if (!handler) return retryLater('unknown-kind');
      return await handler.run(
        {
          id: row.id,
          kind: row.kind,
          queue: row.queue,
          tenant: row.tenant,
          orderKey: row.order_key ?? undefined,
          idempotencyKey: row.idempotency_key,
          attempt: row.attempts,
          maxAttempts: row.max_attempts,
          payload: row.payload,
          acceptedAt: row.accepted_at,
          begunAt: row.begun_at,
          expiresAt: row.expires_at ?? undefined,
          span,
        },
        signal,
      );
    } catch (error) {
      if (signal.aborted) return interrupted();
      const { log } = this.#options;
      log.error(
        { event: 'jobs.run_failed', err: error, job: row.id, kind: row.kind, queue: row.queue },
        'a job failed',
      );
      return retryLater('unexpected');
    }
  }

  #abort(ids: Iterable<string>): void {
    for (const id of ids) this.#running.get(id)?.controller.abort();
  }

  /** Logs once that the database is unavailable, and once that it is back. */
  #report(error: unknown): void {
    const { log } = this.#options;
    // The database itself logs this error.
    if (error instanceof JobsDatabaseUnusable) return;
    if (error !== undefined && !this.#isTroubled)
      log.error({ event: 'jobs.database_unavailable', err: error }, 'the database for jobs cannot be used; retrying');
    if (error === undefined && this.#isTroubled)
      log.info({ event: 'jobs.database_available' }, 'the database for jobs can be used again');
    this.#isTroubled = error !== undefined;
  }

  /** Starts no more jobs. Running jobs continue. */
  drain(): void {
    clearTimeout(this.#timer);
    this.#isDraining = true;
  }

  /** Starts no more jobs, waits up to `graceMs` for running ones, then aborts the rest and gives them back. */
  async stop(graceMs: number): Promise<void> {
    this.drain();
    await Promise.race([this.#claiming, sleep(graceMs + RETRY_MS, undefined, { ref: false })]);
    if (!(await this.#idleWithin(graceMs))) {
      this.#abort(this.#running.keys());
      await this.#idleWithin(RETRY_MS);
    }
    this.#isStopping = true;
    this.#pauseWriter.close();
    await this.#lease.close();
  }

  #idleWithin(ms: number): Promise<boolean> {
    if (this.#running.size === 0) return Promise.resolve(true);
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), ms);
      this.#onIdle = () => {
        clearTimeout(timer);
        resolve(true);
      };
    });
  }
}
