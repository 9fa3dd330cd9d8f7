import { type LaneCursor, laneKey, queueKey } from './claim.ts';
import type { JobsDatabase } from './database/index.ts';
import type { JobOutcome } from './job.ts';

/**
 * How long after a pause a further one continues it, in milliseconds. The next job shows whether the pause goes on, and its
 * call may take as long as the webhook is allowed to.
 */
const PAUSE_FOLLOWS_MS = 60_000;
/** A process writes its pauses no more often than this, in milliseconds. */
const WRITE_INTERVAL_MS = 1_000;
/** The most pauses that a process writes. Each tenant of each queue may have one. */
const MAX_WRITTEN = 200;
const MAX_PAUSES_READ = 1_000;

/** A queue, or a tenant of one, of which this process starts no job. Times are those of `performance.now()`. */
interface Pause {
  readonly kind: string;
  readonly queue: string;
  /** Null for all tenants. */
  readonly tenant: string | null;
  /** Why the last job could not be attempted. */
  readonly reason: string;
  /** The beginning of the first pause since a job last ran. */
  readonly since: number;
  readonly until: number;
}

type Postponed = Extract<JobOutcome, { outcome: 'postponed' }>;

/**
 * The queues, and tenants of queues, of which this process starts no job for now because the receiver of their calls is
 * unavailable.
 */
export class PausedQueues {
  readonly #pauses = new Map<string, Pause>();

  /** Updates the pauses after a run, which may pause its lane or queue or end a pause. @returns whether a pause has changed. */
  ended(lane: LaneCursor, outcome: JobOutcome): boolean {
    if (outcome.outcome === 'postponed') return this.#pause(lane, outcome);
    const hasRun = outcome.outcome === 'done' || outcome.outcome === 'failed';
    return hasRun && this.#pauses.size > 0 && this.#forgetOver(lane);
  }

  #pause({ kind, queue, tenant }: LaneCursor, { reason, afterMs, pauses }: Postponed): boolean {
    if (afterMs <= 0 || pauses === 'nothing') return false;
    const lane = { kind, queue, tenant: pauses === 'queue' ? null : tenant };
    const now = performance.now();
    const key = keyOf(lane);
    const known = this.#known(key, now);
    const until = Math.max(known?.until ?? 0, now + afterMs);
    this.#pauses.set(key, { ...lane, reason, since: known?.since ?? now, until });
    return true;
  }

  /** Forgets the finished pauses of a lane and its queue once a job of the lane has run. */
  #forgetOver({ kind, queue, tenant }: LaneCursor): boolean {
    const now = performance.now();
    const over = [laneKey({ kind, queue, tenant }), queueKey(kind, queue)].filter((key) => {
      const pause = this.#pauses.get(key);
      return pause !== undefined && pause.until <= now;
    });
    for (const key of over) this.#pauses.delete(key);
    return over.length > 0;
  }

  /** Returns the keys of the queues and lanes that are paused at a time. */
  keys(now: number): readonly string[] {
    return [...this.#pauses].flatMap(([key, { until }]) => (until > now ? [key] : []));
  }

  /**
   * Returns in how many milliseconds the first of the pauses that held at `heldAt` ends. Infinity if none held. Zero or less if
   * it has ended meanwhile, so that its queue or lane must be checked again.
   */
  nextEndMs(heldAt: number): number {
    const ends = [...this.#pauses.values()].map(({ until }) => until).filter((until) => until > heldAt);
    return Math.min(...ends) - performance.now();
  }

  /** Lists the pauses that hold or that a further one may continue, the oldest first. */
  list(): readonly Pause[] {
    const now = performance.now();
    for (const key of this.#pauses.keys()) this.#known(key, now);
    return [...this.#pauses.values()].sort((one, other) => one.since - other.since);
  }

  /** Returns a pause, or forgets it if no further one has continued it in time. */
  #known(key: string, now: number): Pause | undefined {
    const pause = this.#pauses.get(key);
    if (!pause || pause.until + PAUSE_FOLLOWS_MS > now) return pause;
    this.#pauses.delete(key);
    return undefined;
  }
}

function keyOf({ kind, queue, tenant }: Pick<Pause, 'kind' | 'queue' | 'tenant'>): string {
  return tenant === null ? queueKey(kind, queue) : laneKey({ kind, queue, tenant });
}

/** A pause in the processes that run jobs. Times are the database's. */
export interface QueuePause {
  readonly kind: string;
  readonly queue: string;
  /** Null for all tenants. */
  readonly tenant: string | null;
  /** Why the last job could not be attempted. */
  readonly reason: string;
  /** The beginning of the first pause since a job last ran. */
  readonly since: Date;
  /** When the next job is attempted. In the past while an attempt is running. */
  readonly until: Date;
  /** How many of the processes that run jobs have paused it. */
  readonly processes: number;
  readonly ofProcesses: number;
}

interface PauseWriterOptions {
  readonly database: JobsDatabase;
  readonly paused: PausedQueues;
  /** The lease of this process, whose row stores its pauses. */
  readonly leaseId: () => string;
}

/** Writes the pauses of this process to the database, where all processes can read them. */
export class PauseWriter {
  readonly #options: PauseWriterOptions;
  #timer: NodeJS.Timeout | undefined;
  #isWanted = false;

  constructor(options: PauseWriterOptions) {
    this.#options = options;
  }

  /** Writes the changed pauses now, or once the interval since the last write is over. */
  changed(): void {
    if (this.#timer) {
      this.#isWanted = true;
      return;
    }
    this.#isWanted = false;
    // A failed write is made up for by the next one. Jobs do not depend on it.
    void this.#write().catch(() => {});
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.#isWanted) this.changed();
    }, WRITE_INTERVAL_MS);
    this.#timer.unref();
  }

  async #write(): Promise<void> {
    const { database, paused, leaseId } = this.#options;
    const at = (moment: number) => new Date(database.clock.at(moment)).toISOString();
    const pauses = paused
      .list()
      .slice(0, MAX_WRITTEN)
      .map(({ since, until, ...pause }) => ({ ...pause, since: at(since), until: at(until) }));
    await database.query('UPDATE portico_jobs.runner SET pauses = $2::jsonb WHERE id = $1', [
      leaseId(),
      JSON.stringify(pauses),
    ]);
  }

  close(): void {
    clearTimeout(this.#timer);
  }
}

/** Lists the pauses of all processes by kind, queue and tenant. @throws Error if the database does not respond. */
export function readPauses(database: JobsDatabase): Promise<readonly QueuePause[]> {
  return database.query<QueuePause>(READ, [PAUSE_FOLLOWS_MS]);
}

const READ = `
  SELECT p.kind, p.queue, p.tenant, (array_agg(p.reason ORDER BY p.until DESC))[1] AS reason, min(p.since) AS since,
    max(p.until) AS until, count(*)::int AS processes,
    (SELECT count(*)::int FROM portico_jobs.runner WHERE lease_until > clock_timestamp()) AS "ofProcesses"
  FROM portico_jobs.runner r, jsonb_to_recordset(r.pauses) AS p (
    kind text, queue text, tenant text, reason text, since timestamptz, until timestamptz)
  WHERE r.lease_until > clock_timestamp() AND p.until > clock_timestamp() - $1 * interval '1 millisecond'
  GROUP BY p.kind, p.queue, p.tenant ORDER BY p.kind, p.queue, p.tenant NULLS FIRST LIMIT ${MAX_PAUSES_READ}`;
