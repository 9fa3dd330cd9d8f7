import cluster, { type Worker } from 'node:cluster';
import {
  type ChildMessage,
  gauge,
  type Logger,
  type Metric,
  type MetricsPushConfig,
  ofWorkers,
  oneCounter,
  StartError,
  tellLauncher,
  withYoungGeneration,
} from '../../platform/index.ts';
import type { ReloadMarks } from '../operations/replicas/index.ts';
import type { WorkerMessage } from './worker-peers.ts';

const RESTART_MS = { first: 100, most: 10_000 };
/** A worker that has run for this long counts as viable. */
const SETTLED_MS = 60_000;
/** How long a worker may take to report its metrics. */
const MEASURE_MS = 2_000;

export interface StartingWorker {
  /** Resolves when nothing prevents the worker from starting. It may still wait for its sources. */
  readonly begun: Promise<void>;
  /** The port, once the worker listens. Rejects with a StartError if the worker does not start. */
  readonly listening: Promise<number>;
}

/** Manages the processes that share the port: starts, restarts, reloads and measures them. */
export class WorkerPool {
  readonly #log: Logger;
  readonly #count: number;
  readonly #workers = new Set<Worker>();
  /** Workers that have not started yet. */
  readonly #starting = new Set<Worker>();
  /** Workers that nothing prevents from starting. They report metrics, even while they wait for their sources. */
  readonly #begun = new Set<Worker>();
  /** Starting workers that may have read outdated files. */
  readonly #outdated = new Set<Worker>();
  readonly #restarts = new Set<NodeJS.Timeout>();
  /** The callbacks of each worker's pending reloads, by the reload's number. */
  readonly #reloading = new Map<Worker, Map<number, () => void>>();
  #reloads = 0;
  /** The number of workers that replaced one that died. */
  #restarted = 0;
  /** Callbacks that wait for the metrics of workers. */
  readonly #measuring = new Map<number, (worker: Worker, metrics: readonly Metric[]) => void>();
  #measurements = 0;
  /** The last metrics of stopped workers, by worker id. */
  readonly #lastMetrics = new Map<number, readonly Metric[]>();
  /** When each worker was started, in milliseconds since 1970. Its counters begin then. */
  readonly #startedAt = new Map<number, number>();
  /** Called when a worker has read how metrics are pushed. */
  onMetricsPush: ((push: MetricsPushConfig | undefined) => void) | undefined;
  /** Whether each worker that accepts requests can serve them. */
  readonly #ready = new Map<Worker, boolean>();
  /** Whether all of the first workers have been ready. */
  #haveAllBeenReady = false;
  #isStopping = false;
  #marks: ReloadMarks | undefined;

  /** @param count of the workers that must accept requests before any of them counts as ready. */
  constructor(log: Logger, count: number) {
    this.#log = log;
    this.#count = count;
  }

  /** Passes reloads that a worker requests on to other gateways from now on. */
  notifyOthersWith(marks: ReloadMarks): void {
    this.#marks = marks;
  }

  start(failures = 0): StartingWorker {
    const worker = cluster.fork(withYoungGeneration(process.env));
    const startedAt = performance.now();
    this.#workers.add(worker);
    this.#startedAt.set(worker.id, Date.now());
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
        } else if (message.type === 'notice') {
          if (worker === this.#oldest()) tellLauncher(message);
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
      // Writing to a worker that has ended fails, and its exit may be noticed later. Without a listener, the failed write would
      // end this process and with it the other workers.
      worker.on('error', (error: NodeJS.ErrnoException) => {
        // A process that could not be spawned has no exit event.
        if (error.syscall?.startsWith('spawn')) ended(error.code ?? error.message);
      });
    });
    return { begun, listening };
  }

  /** Makes all workers except the requesting one reload the metadata, and waits for them. A starting worker reloads later. */
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

  /** Returns the metrics of all workers that have begun to start. Workers that do not respond soon are left out. */
  measure(): Promise<readonly Metric[]> {
    this.#measurements += 1;
    const id = this.#measurements;
    const asked = new Set([...this.#begun].filter((worker) => worker.isConnected()));
    const metricsOfWorkers = new Map(this.#lastMetrics);
    return new Promise((resolve) => {
      const finish = () => {
        clearTimeout(timer);
        this.#measuring.delete(id);
        resolve([...this.#ownMetrics(), ...ofWorkers(metricsOfWorkers, this.#startedAt)]);
      };
      const timer = setTimeout(finish, MEASURE_MS);
      this.#measuring.set(id, (worker, metrics) => {
        metricsOfWorkers.set(worker.id, metrics);
        asked.delete(worker);
        if (asked.size === 0) finish();
      });
      for (const worker of asked) worker.send({ type: 'measure', id } satisfies WorkerMessage);
      if (asked.size === 0) finish();
    });
  }

  /** Returns the longest-running worker. Workers reload together and all send the same notice, of which one is passed on. */
  #oldest(): Worker | undefined {
    return [...this.#workers].find((worker) => !this.#starting.has(worker));
  }

  #ownMetrics(): readonly Metric[] {
    const starting = this.#starting.size;
    const samples = [
      { labels: { state: 'starting' }, value: starting },
      { labels: { state: 'listening' }, value: this.#workers.size - starting },
    ];
    const help = 'Processes that accept requests, and processes that do not accept requests yet.';
    return [
      gauge('portico_workers', help, ['state'], samples),
      oneCounter(
        'portico_worker_restarts_total',
        'Workers that were started to replace a worker that died.',
        this.#restarted,
      ),
    ];
  }

  /** Asks all workers to stop. Kills those that have not ended after `withinMs` milliseconds. */
  async stop(withinMs: number): Promise<void> {
    this.#isStopping = true;
    for (const restart of this.#restarts) clearTimeout(restart);
    await Promise.all(
      [...this.#workers].map((worker) => {
        const late = setTimeout(() => {
          this.#log.error({ event: 'worker.killed', worker: worker.id }, 'worker did not stop in time, killing it');
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
    if (message.type === 'measure-all') {
      const { id } = message;
      void this.measure().then((metrics) => {
        if (worker.isConnected()) worker.send({ type: 'measured-all', id, metrics } satisfies WorkerMessage);
      });
      return;
    }
    if (message.type === 'measured-last') {
      // The series of a worker that is replaced end with it.
      if (this.#isStopping) this.#lastMetrics.set(worker.id, message.metrics);
      return;
    }
    if (message.type === 'metrics-push') {
      this.onMetricsPush?.(message.push);
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

  /** With fewer workers, a gateway is slower than a load balancer expects of a ready one. */
  #tellReadiness(): void {
    this.#haveAllBeenReady ||= [...this.#ready.values()].filter(Boolean).length >= this.#count;
    for (const worker of this.#workers) {
      if (!worker.isConnected()) continue;
      const areOthersReady = [...this.#ready].every(([other, isReady]) => other === worker || isReady);
      const ready = this.#haveAllBeenReady && areOthersReady;
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
    if (!this.#isStopping) this.#startedAt.delete(worker.id);
    this.#begun.delete(worker);
    this.#starting.delete(worker);
    this.#outdated.delete(worker);
    // A worker that is gone accepts no requests, so it must not keep the others from accepting them.
    if (this.#ready.delete(worker)) this.#tellReadiness();
    // Reloads do not wait for a worker that is gone.
    for (const resolve of this.#reloading.get(worker)?.values() ?? []) resolve();
    this.#reloading.delete(worker);
  }

  #restart(worker: Worker, how: string | number, failures: number): void {
    const pause = Math.min(RESTART_MS.first * 2 ** failures, RESTART_MS.most);
    this.#log.error({ event: 'worker.died', worker: worker.id, how, pause_ms: pause }, 'worker died, restarting it');
    const timer = setTimeout(() => {
      this.#restarts.delete(timer);
      this.#restarted++;
      // If the replacement does not start, its own failure triggers the next restart.
      this.start(failures + 1).listening.then(
        () => this.#log.info({ event: 'worker.replaced' }, 'worker restarted'),
        () => {},
      );
    }, pause);
    this.#restarts.add(timer);
  }
}
