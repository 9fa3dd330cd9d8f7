import { subscribe } from 'node:diagnostics_channel';
import type { Worker } from 'node:worker_threads';

/** The worker threads that are running, of those that begin from now on. */
export function watchThreads(): ReadonlySet<Worker> {
  const running = new Set<Worker>();
  subscribe('worker_threads', (message) => {
    const { worker } = message as { worker: Worker };
    running.add(worker);
    worker.once('exit', () => running.delete(worker));
  });
  return running;
}
