import { Piscina } from 'piscina';
import { fromPackageRoot } from '../package-root.ts';
import { type BcryptLibrary, loadBcrypt } from './bcrypt-library.ts';
import type { CompareTask, HashTask } from './bcrypt-worker.ts';

/** Worker threads load plain JavaScript only, so this is the compiled file even when the rest runs from its sources. */
const WORKER = 'dist/auth-service/passwords/bcrypt-worker.js';

/**
 * What one bcrypt computation takes at cost 10, in seconds, measured on a 2.1 GHz core. Each step of cost doubles it.
 */
const SECONDS_AT_COST_10: Readonly<Record<BcryptLibrary['name'], number>> = {
  '@node-rs/bcrypt': 0.055,
  bcryptjs: 0.085,
};

/** The threads give way to whatever else runs on the machine: the event loop above all, and a gateway beside it. */
const NICE = 10;

/** bcrypt as the service uses it: on text of up to 72 ASCII characters. One call is one computation. */
export interface Bcrypt {
  hash(text: string, cost: number): Promise<string>;
  compare(text: string, hash: string): Promise<boolean>;
}

export interface BcryptPool extends Bcrypt {
  readonly library: BcryptLibrary['name'];
  /** Finishes what is queued, then ends the threads. */
  close(): Promise<void>;
}

/** So many computations wait that another would only make everybody's wait longer. */
export class HashQueueFullError extends Error {
  constructor(
    /** When to try again, in whole seconds, as in `Retry-After`. */
    readonly retryAfterSeconds: number,
  ) {
    super('too many password hashes are waiting');
    this.name = 'HashQueueFullError';
  }
}

export interface BcryptPoolOptions {
  threads: number;
  /** Computations that may wait while all threads are busy. One more is refused. */
  queueLimit: number;
  /** The usual cost: what a comparison takes at least, and the estimate of when to try again. */
  cost: number;
}

/** Computes in worker threads: bcrypt on the event loop would hold every other request up for as long as it takes. */
export function openBcryptPool({ threads, queueLimit, cost }: BcryptPoolOptions): BcryptPool {
  const pool = new Piscina({
    filename: fromPackageRoot(WORKER),
    minThreads: threads,
    maxThreads: threads,
    niceIncrement: NICE,
    // Waiting in Atomics.wait would stop a thread from ending until its next task.
    atomics: 'disabled',
  });
  const { name: library } = loadBcrypt();
  const seconds = SECONDS_AT_COST_10[library] * 2 ** (cost - 10);
  const retryAfterSeconds = Math.ceil((seconds * (queueLimit + threads)) / threads);
  let unfinished = 0;

  async function run<Result>(name: string, task: HashTask | CompareTask): Promise<Result> {
    if (unfinished >= threads + queueLimit) throw new HashQueueFullError(retryAfterSeconds);
    unfinished += 1;
    try {
      return await pool.run(task, { name });
    } finally {
      unfinished -= 1;
    }
  }

  return {
    library,
    hash: (text, hashCost) => run('hash', { text, cost: hashCost }),
    compare: (text, hash) => run('compare', { text, hash, cost }),
    close: () => pool.close(),
  };
}
