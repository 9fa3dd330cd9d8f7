import { setTimeout as sleep } from 'node:timers/promises';
import { Batcher } from './batcher.ts';
import { failureOf, type JobsDatabase } from './database/index.ts';
import type { Json } from './job.ts';
import { isDeeperThan, jsonbText } from './jsonb-text.ts';

const MAX_SETTLED_JOBS = 200;
const MAX_SETTLED_BYTES = 16 * 1024 ** 2;
/** The largest output or list of errors, including its row. docs/jobs.md describes this limit and the next one. */
const MAX_ROW_BYTES = 4 * 1024 ** 2;
/** PostgreSQL's parser rejects some thousands of levels, and so does `JSON.stringify`. */
const MAX_RESULT_DEPTH = 512;
const RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 60_000;

/** The input of the SQL function `settle`. */
export interface SettledRow {
  readonly id: string;
  readonly attempt: number;
  readonly outcome: string;
  readonly reason?: string | undefined;
  readonly after_ms?: number;
  readonly is_attempt?: boolean;
  readonly output?: Json;
  readonly errors?: Json;
}

/** A serialized outcome. */
export interface Settlement {
  readonly row: SettledRow;
  /** `row` as JSON. */
  readonly text: string;
  readonly bytes: number;
}

/**
 * The result of writing an outcome. `refused`: the job no longer belongs to this process. `unstorable`: the database rejected
 * the output or errors, and the job is dead without them.
 */
export type Settled = 'taken' | 'refused' | 'unstorable';

/** Serializes an outcome. If it exceeds the limits, its output and errors are left out. */
export function settlementOf(row: SettledRow): Settlement {
  const { output, errors, ...bare } = row;
  const tooLarge = { ...bare, outcome: row.outcome === 'dead' ? 'dead' : 'failed', reason: 'too-large' };
  if (isDeeperThan(output, MAX_RESULT_DEPTH) || isDeeperThan(errors, MAX_RESULT_DEPTH)) return serialized(tooLarge);
  try {
    const settlement = serialized(row);
    return settlement.bytes > MAX_ROW_BYTES ? serialized(tooLarge) : settlement;
  } catch {
    return serialized(unstorable(row));
  }
}

/** Returns the outcome of a job whose output or errors the database rejects. */
export function unstorable({ id, attempt }: SettledRow): SettledRow {
  return { id, attempt, outcome: 'dead', reason: 'unstorable' };
}

function serialized(row: SettledRow): Settlement {
  const text = jsonbText(row);
  return { row, text, bytes: Buffer.byteLength(text) };
}

export interface SettlementsOptions {
  readonly database: JobsDatabase;
  /** The lease that holds the jobs. */
  readonly leaseId: () => string;
  readonly isStopping: () => boolean;
  readonly onTrouble: (error: unknown) => void;
}

/** Writes outcomes. Since the work has been done, writes are retried until the database accepts them or the process stops. */
export class Settlements {
  readonly #options: SettlementsOptions;
  readonly #batches: Batcher<Settlement, Settled>;

  constructor(options: SettlementsOptions) {
    this.#options = options;
    this.#batches = new Batcher((settlements) => this.#settleAll(settlements), {
      maxItems: MAX_SETTLED_JOBS,
      maxBytes: MAX_SETTLED_BYTES,
      maxBatches: 1,
      isOfItem: (error) => failureOf(error) !== 'database',
    });
  }

  /** @throws Error if the database rejects even the outcome `dead`. Then the lease of the job ends and it runs again. */
  async add(settlement: Settlement): Promise<Settled> {
    const { isStopping, onTrouble } = this.#options;
    for (let pauseMs = RETRY_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_RETRY_MS)) {
      try {
        return await this.#batches.add(settlement);
      } catch (error) {
        // The outcome is valid and the work has been done, so the write is retried until it succeeds. Other outcomes are not
        // delayed.
        if (failureOf(error) !== 'one-row') throw error;
        onTrouble(error);
      }
      if (!isStopping()) await pauseForRetry(pauseMs);
      if (isStopping()) return 'refused';
    }
  }

  async #settleAll(settlements: readonly Settlement[]): Promise<readonly Settled[]> {
    try {
      return await this.#write(settlements);
    } catch (error) {
      const [only] = settlements;
      if (!only || settlements.length > 1 || failureOf(error) !== 'values') throw error;
      // PostgreSQL quotes the value in its error, so the error is not logged.
      const [settled] = await this.#write([serialized(unstorable(only.row))]);
      return [settled === 'taken' ? 'unstorable' : 'refused'];
    }
  }

  /** @throws Error if the database rejects a value, or if a single row may be the reason. */
  async #write(settlements: readonly Settlement[]): Promise<readonly Settled[]> {
    const { database, leaseId, isStopping, onTrouble } = this.#options;
    const text = `[${settlements.map((settlement) => settlement.text).join()}]`;
    for (;;) {
      try {
        const taken = await database.query<{ id: string }>('SELECT id FROM portico_jobs.settle($1, $2::jsonb) AS id', [
          leaseId(),
          text,
        ]);
        const ids = new Set(taken.map(({ id }) => id));
        return settlements.map(({ row }) => (ids.has(row.id) ? 'taken' : 'refused'));
      } catch (error) {
        if (failureOf(error) !== 'database') throw error;
        onTrouble(error);
        if (isStopping()) return settlements.map(() => 'refused');
        await pauseForRetry(RETRY_MS);
      }
    }
  }
}

/** The delay is random, so that writes that failed together are not retried together. */
async function pauseForRetry(ms: number): Promise<void> {
  await sleep(ms * (1 + Math.random()), undefined, { ref: false });
}
