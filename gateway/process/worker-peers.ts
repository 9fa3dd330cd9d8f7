import type { Worker } from 'node:cluster';
import type { Metric, MetricsPushConfig } from '../../platform/index.ts';

/** What workers and the process that keeps them running tell each other, beside that a worker is ready. */
export type WorkerMessage =
  /** Reload the metadata; `ask` as in `MetadataReloader.reload`. To others: let all others do so. */
  | { readonly type: 'reload'; readonly id: number; readonly ask: boolean }
  /**
   * It has been done, or could not be: a worker that could not has logged why. `failure` says why other gateways could not be
   * notified.
   */
  | { readonly type: 'reloaded'; readonly id: number; readonly failure?: string }
  /** What could keep a gateway from starting has been looked at; it may still wait for its sources. */
  | { readonly type: 'begun' }
  /** Whether a worker can answer requests; to it: whether all others that take requests can. */
  | { readonly type: 'readiness'; readonly ready: boolean }
  /** Tell your metrics. */
  | { readonly type: 'measure'; readonly id: number }
  | { readonly type: 'measured'; readonly id: number; readonly metrics: readonly Metric[] }
  /** Ask all workers for their metrics, the one that sends this too. */
  | { readonly type: 'measure-all'; readonly id: number }
  | { readonly type: 'measured-all'; readonly id: number; readonly metrics: readonly Metric[] }
  /** The last ones, of a worker that stops. */
  | { readonly type: 'measured-last'; readonly metrics: readonly Metric[] }
  /** How metrics are pushed by what the worker has read of the metadata; undefined where they are not. */
  | { readonly type: 'metrics-push'; readonly push: MetricsPushConfig | undefined };

/** The other workers of a gateway, as one of them sees them. */
export interface WorkerPeers {
  /** Which of the workers this one is, counted from 1 on; one that takes the place of another has a number of its own. */
  readonly worker: number;
  /** Whether all others can answer requests: all of the first ones at the start, later all that take requests. */
  readonly othersReady: boolean;
  /** Whether this worker has been asked to stop, while it may still be starting. */
  readonly isAskedToStop: boolean;
  /** Tells that nothing keeps this one from starting. */
  tellBegun(): void;
  /** Tells the others whether this one can. */
  tellReadiness(ready: boolean): void;
  /**
   * Lets all others reload the metadata, and waits until they have. Notifies other gateways too.
   *
   * @throws Error when these could not be notified.
   */
  reload(ask: boolean): Promise<void>;
  /** Registers what reloads this one on request. @returns what unregisters it. */
  onReload(reload: (ask: boolean) => Promise<void>): () => void;
  /** The metrics of all workers, each sample with the label `worker`. Those of one that does not answer soon are left out. */
  measureAll(): Promise<readonly Metric[]>;
  /** What tells the metrics of this one when it is asked for them. @returns what ends that. */
  onMeasure(measure: () => readonly Metric[]): () => void;
  /** Tells the metrics of this one for the last time. Resolves when they have been sent. */
  tellLastMetrics(metrics: readonly Metric[]): Promise<void>;
  /** Tells how metrics are pushed by the metadata, which the process that pushes them does not read. */
  tellMetricsPush(push: MetricsPushConfig | undefined): void;
}

export function workerPeersOf(worker: Worker): WorkerPeers {
  const waiting = new Map<number, (failure: string | undefined) => void>();
  const measuring = new Map<number, (metrics: readonly Metric[]) => void>();
  let asked = 0;
  // The answer to its own first report says it.
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
          // It is about to end.
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
