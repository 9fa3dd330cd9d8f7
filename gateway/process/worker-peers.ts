import type { Worker } from 'node:cluster';
import type { Metric, MetricsPushConfig } from '../../platform/index.ts';

/** The messages between workers and the managing process, in addition to those about a worker's start. */
export type WorkerMessage =
  /** Reload the metadata. `ask` as in `MetadataReloader.reload`. Sent by a worker: make all others reload. */
  | { readonly type: 'reload'; readonly id: number; readonly ask: boolean }
  /**
   * A reload has finished. A worker whose reload failed has logged the reason. `failure` is the reason why other gateways could
   * not be notified.
   */
  | { readonly type: 'reloaded'; readonly id: number; readonly failure?: string }
  /** Nothing prevents the gateway from starting any more, though it may still wait for its sources. */
  | { readonly type: 'begun' }
  /** Sent by a worker: whether it can serve requests. Sent to a worker: whether all others that accept requests can. */
  | { readonly type: 'readiness'; readonly ready: boolean }
  /** Report your metrics. */
  | { readonly type: 'measure'; readonly id: number }
  | { readonly type: 'measured'; readonly id: number; readonly metrics: readonly Metric[] }
  /** Report the metrics of all workers, including the sender's. */
  | { readonly type: 'measure-all'; readonly id: number }
  | { readonly type: 'measured-all'; readonly id: number; readonly metrics: readonly Metric[] }
  /** The last metrics of a worker that stops. */
  | { readonly type: 'measured-last'; readonly metrics: readonly Metric[] }
  /** How metrics are pushed according to the worker's metadata. Undefined if they are not pushed. */
  | { readonly type: 'metrics-push'; readonly push: MetricsPushConfig | undefined };

/** The other workers of a gateway, from the perspective of one of them. */
export interface WorkerPeers {
  /** The number of this worker, from 1 on. A replacement has a new number. */
  readonly worker: number;
  /**
   * Whether all others can serve requests. Until all of the first workers could, this includes those that have not joined yet.
   */
  readonly othersReady: boolean;
  /** Whether this worker has been asked to stop, possibly while it is still starting. */
  readonly isAskedToStop: boolean;
  /** Reports that nothing prevents this worker from starting. */
  tellBegun(): void;
  /** Reports to the others whether this worker can serve requests. */
  tellReadiness(ready: boolean): void;
  /**
   * Makes all others reload the metadata and waits for them. Notifies other gateways too.
   *
   * @throws Error if other gateways could not be notified.
   */
  reload(ask: boolean): Promise<void>;
  /** Registers the function that reloads this worker on request. @returns a function that unregisters it. */
  onReload(reload: (ask: boolean) => Promise<void>): () => void;
  /** Returns the metrics of all workers. Each sample has the label `worker`. Workers that do not respond soon are left out. */
  measureAll(): Promise<readonly Metric[]>;
  /** Registers the function that measures this worker on request. @returns a function that unregisters it. */
  onMeasure(measure: () => readonly Metric[]): () => void;
  /** Sends the last metrics of this worker. Resolves when they have been sent. */
  tellLastMetrics(metrics: readonly Metric[]): Promise<void>;
  /** Reports the metadata's push of metrics to the managing process, which pushes them but does not read the metadata. */
  tellMetricsPush(push: MetricsPushConfig | undefined): void;
}

export function workerPeersOf(worker: Worker): WorkerPeers {
  const waiting = new Map<number, (failure: string | undefined) => void>();
  const measuring = new Map<number, (metrics: readonly Metric[]) => void>();
  let asked = 0;
  // The response to this worker's first report sets it.
  let othersReady = false;
  let isAskedToStop = false;
  for (const signal of ['SIGTERM', 'SIGINT', 'disconnect'])
    process.once(signal, () => {
      isAskedToStop = true;
    });
  const send = (message: WorkerMessage) => void (worker.isConnected() && worker.send(message));
  worker.on('message', (message: WorkerMessage) => {
    if (message.type === 'reloaded') waiting.get(message.id)?.(message.failure);
    if (message.type === 'measured-all') measuring.get(message.id)?.(message.metrics);
    if (message.type === 'readiness') othersReady = message.ready;
  });
  return {
    worker: worker.id,
    get othersReady() {
      return othersReady;
    },
    get isAskedToStop() {
      return isAskedToStop;
    },
    tellBegun: () => send({ type: 'begun' }),
    tellReadiness: (ready) => send({ type: 'readiness', ready }),
    reload: (ask) =>
      new Promise((resolve, reject) => {
        asked += 1;
        const id = asked;
        waiting.set(id, (failure) => {
          waiting.delete(id);
          if (failure === undefined) resolve();
          else reject(new Error(failure));
        });
        send({ type: 'reload', id, ask });
      }),
    measureAll: () =>
      new Promise((resolve) => {
        if (!worker.isConnected()) {
          // The managing process is about to end.
          resolve([]);
          return;
        }
        asked += 1;
        const id = asked;
        measuring.set(id, (metrics) => {
          measuring.delete(id);
          resolve(metrics);
        });
        send({ type: 'measure-all', id });
      }),
    onMeasure: (measure) => {
      const listener = (message: WorkerMessage) => {
        if (message.type === 'measure') send({ type: 'measured', id: message.id, metrics: measure() });
      };
      worker.on('message', listener);
      return () => worker.off('message', listener);
    },
    tellLastMetrics: (metrics) =>
      new Promise((resolve) => {
        if (!worker.isConnected()) resolve();
        else worker.send({ type: 'measured-last', metrics } satisfies WorkerMessage, () => resolve());
      }),
    tellMetricsPush: (push) => send({ type: 'metrics-push', push }),
    onReload: (reload) => {
      const listener = (message: WorkerMessage) => {
        if (message.type !== 'reload') return;
        const done = () => send({ type: 'reloaded', id: message.id });
        reload(message.ask).then(done, done);
      };
      worker.on('message', listener);
      return () => worker.off('message', listener);
    },
  };
}
