import cluster, { type Worker } from 'node:cluster';
import {
  type ChildMessage,
  checkPort,
  createLogger,
  type Logger,
  type RunningService,
  StartError,
} from '../platform/index.ts';
import type { GatewayConfig } from './config.ts';
import { openMetrics } from './metrics-endpoint.ts';
import { type Metric, ofWorkers } from './ops/index.ts';
import { openReloadMarks, type ReloadMarks } from './replicas/index.ts';
import type { WorkerMessage } from './siblings.ts';

const RESTART_MS = { first: 100, most: 10_000 };
/** A worker that has lived for so long is not one that cannot live. */
const SETTLED_MS = 60_000;
/** How long a worker may take to tell its metrics. */
const MEASURE_MS = 2_000;
/** How long a worker may take to end once requests have had their time. Added to the longest, less than a process has. */
const ENDING_MS = 4_000;

/**
 * Runs as many gateways as the settings say, on one port. Each is a process of its own with its own connections, caches
 * and keys. One that dies is started again, after growing pauses.
 *
 * @throws StartError when one does not start; it has said why.
 */
export async function startWorkers(config: GatewayConfig): Promise<RunningService> {
  const startedAt = performance.now();
  const log = createLogger('gateway', config.HASURA_GRAPHQL_LOG_LEVEL);
  const crew = new WorkerCrew(log);
  const { PORTICO_REDIS_URL: redisUrl } = config;
  const onHangUp = () => void crew.reload(true);
  process.on('SIGHUP', onHangUp);
  const withinSeconds = config.PORTICO_DRAIN_SECONDS + config.HASURA_GRAPHQL_GRACEFUL_SHUTDOWN_TIMEOUT;
  const stop = () => crew.stop(withinSeconds * 1000 + ENDING_MS);
  // Workers may wait for their sources for longer than a stop may take.
  let stopped: Promise<void> | undefined;
  const stopStarting = () => {
    stopped ??= stop();
  };
  for (const signal of STOP_SIGNALS) process.once(signal, stopStarting);
  await checkPort({
    host: config.HASURA_GRAPHQL_SERVER_HOST,
    port: config.HASURA_GRAPHQL_SERVER_PORT,
    portVariable: 'HASURA_GRAPHQL_SERVER_PORT',
  });
  // Workers may wait for their sources for a long time, and that is when metrics are looked at.
  const metrics = await openMetrics(config, () => crew.measure(), log);
  // One for all workers: each other gateway's reload is seen once. Before the workers start, since that
  // may take long: those that listen already reload, and one that is starting reloads as soon as it listens.
  const marks = redisUrl && openReloadMarks({ redisUrl, log, startedAt, onReload: (ask) => void crew.reload(ask) });
  if (marks) crew.notifyOthersWith(marks);
  // The first one alone, until it is known that it can start, so that what keeps all from starting is told once.
  const port = await startAll(crew, config.workers).catch(async (error: unknown) => {
    // Those that listen already have requests to finish.
    await stopped;
    if (marks) marks.close();
    await metrics.stop();
    throw error;
  });
  for (const signal of STOP_SIGNALS) process.off(signal, stopStarting);
  log.info({ port, workers: config.workers }, 'all workers are listening');
  return {
    port,
    stop: async () => {
      process.off('SIGHUP', onHangUp);
      if (marks) marks.close();
      await metrics.stop();
      await stop();
    },
  };
}

/** @returns the port that they listen on. @throws StartError when one does not start. */
async function startAll(crew: WorkerCrew, count: number): Promise<number> {
  const first = crew.start();
  await Promise.race([first.begun, first.listening]);
  const others = Array.from({ length: count - 1 }, () => crew.start().listening);
  const [port] = await Promise.all([first.listening, ...others]);
  return port;
}

interface StartingWorker {
  /** Resolves when nothing keeps the worker from starting; it may still wait for its sources. */
  readonly begun: Promise<void>;
  /** The port, once the worker listens. Rejects with a StartError when it does not start. */
  readonly listening: Promise<number>;
}

const STOP_SIGNALS = ['SIGTERM', 'SIGINT'] as const;

class WorkerCrew {
  readonly #log: Logger;
  readonly #workers = new Set<Worker>();
  /** Those that have not started yet. */
  readonly #starting = new Set<Worker>();
  /** Those that nothing keeps from starting: they tell metrics, though they may wait for their sources. */
  readonly #begun = new Set<Worker>();
  /** Those of them that may have read what has changed since. */
  readonly #outdated = new Set<Worker>();
  readonly #restarts = new Set<NodeJS.Timeout>();
  /** What each worker does when it has reloaded, by the number of the reload. */
  readonly #reloading = new Map<Worker, Map<number, () => void>>();
  #reloads = 0;
  /** Who waits for the metrics of workers. */
  readonly #measuring = new Map<number, (worker: Worker, metrics: readonly Metric[]) => void>();
  #measurements = 0;
  /** Whether each worker that takes requests can answer them. */
  readonly #ready = new Map<Worker, boolean>();
  #isStopping = false;
  #marks: ReloadMarks | undefined;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** From now on, a reload that a worker is asked for reaches other gateways too. */
  notifyOthersWith(marks: ReloadMarks): void {
    this.#marks = marks;
  }

  start(failures = 0): StartingWorker {
    const worker = cluster.fork();
    const startedAt = performance.now();
    this.#workers.add(worker);
    this.#starting.add(worker);
    this.#reloading.set(worker, new Map());
    let begin = () => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const listening = new Promise<number>((resolve, reject) => {
      worker.on('message', (message: ChildMessage | WorkerMessage) => {
        if (message.type === 'ready') {
          this.#started(worker);
          resolve(message.port);
        } else if (message.type === 'begun') {
          this.#begun.add(worker);
          begin();
        } else this.#hear(worker, message);
      });
      const ended = (code: number | string, signal?: string) => {
        const isReady = !this.#starting.has(worker);
        this.#forget(worker);
        if (this.#isStopping) {
          reject(new StartError('stopped while it was starting'));
          return;
        }
        if (!isReady && failures === 0) reject(new StartError('a worker did not start'));
        else this.#restart(worker, signal ?? code, performance.now() - startedAt > SETTLED_MS ? 0 : failures);
      };
      worker.once('exit', ended);
      // One that has ended cannot be written to, and its exit may be noticed only after that. Without a listener, the failed
      // write would end this process, and with it the other workers.
      worker.on('error', (error: NodeJS.ErrnoException) => {
        // A process that could not be made has no exit.
        if (error.syscall?.startsWith('spawn')) ended(error.code ?? error.message);
      });
    });
    return { begun, listening };
  }

  /**
   * Lets all workers reload the metadata but the one that asks for it, and waits until they have. One that is starting
   * does so later.
   */
  async reload(ask: boolean, asking?: Worker): Promise<void> {
    this.#reloads += 1;
    const id = this.#reloads;
    for (const worker of this.#starting) this.#outdated.add(worker);
    const others = [...this.#workers].filter(
      (worker) => worker !== asking && worker.isConnected() && !this.#starting.has(worker),
    );
    await Promise.all(
      others.map(
        (worker) =>
          new Promise<void>((resolve) => {
            this.#reloading.get(worker)?.set(id, resolve);
            worker.send({ type: 'reload', id, ask } satisfies WorkerMessage);
          }),
      ),
    );
  }

  /** The metrics of all workers that have begun to start; those of one that does not tell them soon are left out. */
  measure(): Promise<readonly Metric[]> {
    this.#measurements += 1;
    const id = this.#measurements;
    const asked = new Set([...this.#begun].filter((worker) => worker.isConnected()));
    const told = new Map<number, readonly Metric[]>();
    return new Promise((resolve) => {
      const finish = () => {
        clearTimeout(timer);
        this.#measuring.delete(id);
        resolve([this.#states(), ...ofWorkers(told)]);
      };
      const timer = setTimeout(finish, MEASURE_MS);
      this.#measuring.set(id, (worker, metrics) => {
        told.set(worker.id, metrics);
        asked.delete(worker);
        if (asked.size === 0) finish();
      });
      for (const worker of asked) worker.send({ type: 'measure', id } satisfies WorkerMessage);
      if (asked.size === 0) finish();
    });
  }

  #states(): Metric {
    const starting = this.#starting.size;
    const samples = [
      { labels: { state: 'starting' }, value: starting },
      { labels: { state: 'listening' }, value: this.#workers.size - starting },
    ];
    const help = 'Processes that take requests, and those that do not yet.';
    return { name: 'portico_workers', help, type: 'gauge', samples };
  }

  /** Asks all workers to stop. One that has not ended `withinMs` later, in milliseconds, is killed. */
  async stop(withinMs: number): Promise<void> {
    this.#isStopping = true;
    for (const restart of this.#restarts) clearTimeout(restart);
    await Promise.all(
      [...this.#workers].map((worker) => {
        const late = setTimeout(() => {
          this.#log.error({ worker: worker.id }, 'a worker has not stopped in time and is killed');
          worker.process.kill('SIGKILL');
        }, withinMs);
        const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
        worker.process.kill('SIGTERM');
        return ended.finally(() => clearTimeout(late));
      }),
    );
  }

  #hear(worker: Worker, message: WorkerMessage): void {
    if (message.type === 'measured') {
      this.#measuring.get(message.id)?.(worker, message.metrics);
      return;
    }
    if (message.type === 'reloaded') {
      const reloading = this.#reloading.get(worker);
      reloading?.get(message.id)?.();
      reloading?.delete(message.id);
      return;
    }
    if (message.type === 'readiness') {
      this.#ready.set(worker, message.ready);
      this.#tellReadiness();
      return;
    }
    if (message.type !== 'reload') return;
    void this.#reloadEverywhere(message.ask, worker).then((failure) => {
      const reloaded = { type: 'reloaded', id: message.id, ...(failure !== undefined && { failure }) } as const;
      if (worker.isConnected()) worker.send(reloaded satisfies WorkerMessage);
    });
  }

  /** @returns why other gateways could not be notified. */
  async #reloadEverywhere(ask: boolean, asking: Worker): Promise<string | undefined> {
    await this.reload(ask, asking);
    try {
      await this.#marks?.leave(ask);
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  }

  #tellReadiness(): void {
    for (const worker of this.#workers) {
      if (!worker.isConnected()) continue;
      const ready = [...this.#ready].every(([other, isReady]) => other === worker || isReady);
      worker.send({ type: 'readiness', ready } satisfies WorkerMessage);
    }
  }

  #started(worker: Worker): void {
    this.#starting.delete(worker);
    if (!this.#outdated.delete(worker) || !worker.isConnected()) return;
    this.#reloads += 1;
    worker.send({ type: 'reload', id: this.#reloads, ask: true } satisfies WorkerMessage);
  }

  #forget(worker: Worker): void {
    this.#workers.delete(worker);
    this.#begun.delete(worker);
    this.#starting.delete(worker);
    this.#outdated.delete(worker);
    // One that is gone takes no requests: the others are not kept from taking them.
    if (this.#ready.delete(worker)) this.#tellReadiness();
    // Nobody has to wait for a worker that is gone.
    for (const resolve of this.#reloading.get(worker)?.values() ?? []) resolve();
    this.#reloading.delete(worker);
  }

  #restart(worker: Worker, how: string | number, failures: number): void {
    const pause = Math.min(RESTART_MS.first * 2 ** failures, RESTART_MS.most);
    this.#log.error({ worker: worker.id, how, pause_ms: pause }, 'a worker has died and is started again');
    const timer = setTimeout(() => {
      this.#restarts.delete(timer);
      // Where it does not start, it is the next one to be started again.
      this.start(failures + 1).listening.then(
        () => this.#log.info('a worker has taken the place of one that died'),
        () => {},
      );
    }, pause);
    this.#restarts.add(timer);
  }
}
