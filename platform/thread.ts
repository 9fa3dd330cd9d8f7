import { type ResourceLimits, Worker } from 'node:worker_threads';
import { beginHeapsWith, type InitialHeap } from './heap.ts';
import { compiledFile } from './own-code/index.ts';

/** The thread ended before its result, for a reason other than its input. */
export class ThreadEnded extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ThreadEnded';
  }
}

/**
 * Runs a file once in a worker thread. The thread gets `data`, and its first message is the result.
 *
 * @param file as for `compiledFile`.
 * @param initialHeap for a thread whose allocations mostly stay alive until it ends.
 * @throws what the thread throws, and ThreadEnded if it ends without a result, such as when it needs more memory than
 * `resourceLimits` allows.
 */
export function inThread<T>(
  file: string,
  data: unknown,
  resourceLimits: ResourceLimits = {},
  initialHeap?: InitialHeap,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const resetHeaps = initialHeap && beginHeapsWith(initialHeap);
    const worker = new Worker(compiledFile(file), { workerData: data, resourceLimits });
    if (resetHeaps) worker.once('online', resetHeaps).once('exit', resetHeaps);
    const ended = (code: number) => reject(new ThreadEnded(`a thread ended without a result (code ${code})`));
    worker.once('message', (result: T) => {
      worker.off('exit', ended);
      // The thread would end later by itself, but its heap has to be free before the next work begins.
      worker.terminate().then(() => resolve(result), reject);
    });
    worker.once('error', (error: NodeJS.ErrnoException) => {
      reject(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? new ThreadEnded(error.message) : error);
    });
    worker.once('exit', ended);
    // The process may exit without waiting for the thread.
    worker.unref();
  });
}
