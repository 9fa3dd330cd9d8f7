import { Piscina } from 'piscina';
import { Durations } from '../../platform/index.ts';
import type { ActiveSpan } from '../active-span.ts';
import { fromPackageRoot } from '../package-root.ts';
import { type BcryptLibrary, loadBcrypt } from './bcrypt-library.ts';
import type { CompareTask, Computed, HashTask } from './bcrypt-worker.ts';

/** Worker threads load only plain JavaScript, so this is the compiled file even if the other code runs from its sources. */
const WORKER = 'dist/auth-service/passwords/bcrypt-worker.js';

/** The duration of a bcrypt computation at cost 10, in seconds, measured on a 2.1 GHz core. Each step of cost doubles it. */
const SECONDS_AT_COST_10: Readonly<Record<BcryptLibrary['name'], number>> = {
  '@node-rs/bcrypt': 0.055,
  bcryptjs: 0.085,
};

/** After 30 s, Piscina gives up a close, fails it and discards its queue. A stop has its own deadline. */
const NEVER_MS = 2 ** 31 - 1;

/** The threads have a lower priority than other work on the machine, such as the event loop and a gateway. */
const NICE = 10;

/** bcrypt as the service uses it: for text of up to 72 ASCII characters. One call is one computation. */
export interface Bcrypt {
  hash(text: string, cost: number): Promise<string>;
  compare(text: string, hash: string): Promise<boolean>;
}

/** Bounds of the buckets of computations, in milliseconds. Cost 10 takes some 60 ms, and each step of cost doubles it. */
const COMPUTATION_BOUNDS_MS = [10, 25, 50, 75, 100, 250, 500, 1_000, 2_500, 5_000] as const;
const HASH_WAIT_BOUNDS_MS = [1, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000] as const;

/** The current and past computations of a pool. */
export interface HashUsage {
  readonly threads: number;
  readonly running: number;
  readonly queued: number;
  readonly queueLimit: number;
  /** The number of computations that were refused because the queue was full. */
  readonly refused: number;
  /** The waits until a thread began. */
  readonly waits: Durations;
  readonly computations: Durations;
}

export interface BcryptPool extends Bcrypt {
  readonly library: BcryptLibrary['name'];
  usage(): HashUsage;
  /** Finishes the queue, then ends the threads unless others use them. */
  close(): Promise<void>;
}

/** The queue is full. Another computation would only lengthen every wait. */
export class HashQueueFullError extends Error {
  constructor(
    /** The delay before a retry in whole seconds, as in `Retry-After`. */
    readonly retryAfterSeconds: number,
  ) {
    super('too many password hashes are waiting');
    this.name = 'HashQueueFullError';
  }
}

export interface BcryptPoolOptions {
  threads: number;
  /** The most computations that wait while all threads are busy. Further ones are refused. */
  queueLimit: number;
  /** The usual cost. It is the minimum cost of a comparison, and the basis of the retry delay. */
  cost: number;
  /** The span of the current request, the parent of the computation's span. */
  activeSpan?: ActiveSpan;
  /**
   * As many threads as `threads`, which others use too and which stay open when the pool is closed. By default the pool has its
   * own.
   */
  sharedThreads?: HashThreads;
}

/** Threads that compute. */
export type HashThreads = Pick<Piscina, 'run' | 'close'>;

export function openHashThreads(count: number): HashThreads {
  return new Piscina({
    filename: fromPackageRoot(WORKER),
    minThreads: count,
    maxThreads: count,
    niceIncrement: NICE,
    // Waiting in Atomics.wait would stop a thread from ending until its next task.
    atomics: 'disabled',
    closeTimeout: NEVER_MS,
  });
}

/** Computes in worker threads: on the event loop, bcrypt would delay every other request. */
export function openBcryptPool(options: BcryptPoolOptions): BcryptPool {
  const { threads, queueLimit, cost, activeSpan, sharedThreads } = options;
  const hashThreads = sharedThreads ?? openHashThreads(threads);
  const { name: library } = loadBcrypt();
  const seconds = SECONDS_AT_COST_10[library] * 2 ** (cost - 10);
  const retryAfterSeconds = Math.ceil((seconds * (queueLimit + threads)) / threads);
  const waits = new Durations(HASH_WAIT_BOUNDS_MS);
  const computations = new Durations(COMPUTATION_BOUNDS_MS);
  let unfinished = 0;
  let refused = 0;

  async function runTask<Result>(name: string, task: HashTask | CompareTask): Promise<Result> {
    const span = activeSpan?.current?.startChild(`password ${name}`);
    if (unfinished >= threads + queueLimit) {
      refused += 1;
      span?.fail('queue_full');
      span?.end();
      throw new HashQueueFullError(retryAfterSeconds);
    }
    unfinished += 1;
    const startedAt = performance.now();
    try {
      const { result, durationMs }: Computed<Result> = await hashThreads.run(task, { name });
      const waitMs = Math.max(0, performance.now() - startedAt - durationMs);
      waits.add(waitMs);
      computations.add(durationMs);
      span?.setAttribute('portico.queue.wait_ms', waitMs);
      return result;
    } catch (error) {
      span?.fail((error as Error).name);
      throw error;
    } finally {
      unfinished -= 1;
      span?.end();
    }
  }

  return {
    library,
    hash: (text, hashCost) => runTask('hash', { text, cost: hashCost }),
    compare: (text, hash) => runTask('compare', { text, hash, cost }),
    usage: () => ({
      threads,
      running: Math.min(unfinished, threads),
      queued: Math.max(0, unfinished - threads),
      queueLimit,
      refused,
      waits,
      computations,
    }),
    async close() {
      if (sharedThreads === undefined) await hashThreads.close();
    },
  };
}
