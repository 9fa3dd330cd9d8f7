import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ResourceLimits, Worker } from 'node:worker_threads';

/**
 * A file that the build has made of one of ours. Worker threads load plain JavaScript only, so this is the compiled file
 * even when the rest runs from its sources.
 *
 * @param path from the package on, as in `gateway/main.js`.
 */
export function compiledFile(path: string): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) {
    if (folder === dirname(folder)) throw new Error('no package.json above the gateway');
    folder = dirname(folder);
  }
  return join(folder, 'dist', path);
}

/** A thread has ended before it was done, which says nothing about what it was given. */
export class ThreadEnded extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ThreadEnded';
  }
}

/**
 * Has a thread of its own do something once. It gets `data`, and its first message is the result.
 *
 * @param file as for `compiledFile`.
 * @throws what the thread throws, and ThreadEnded when it ends without a result, also where it needs more memory than
 * `resourceLimits` says.
 */
export function inThread<T>(file: string, data: unknown, resourceLimits: ResourceLimits = {}): Promise<T> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(compiledFile(file), { workerData: data, resourceLimits });
    const ended = (code: number) => reject(new ThreadEnded(`a thread ended without a result (code ${code})`));
    worker.once('message', (result: T) => {
      worker.off('exit', ended);
      // By itself it would end later: what comes next does not have to fit beside its heap.
      worker.terminate().then(() => resolve(result), reject);
    });
    worker.once('error', (error: NodeJS.ErrnoException) => {
      reject(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? new ThreadEnded(error.message) : error);
    });
    worker.once('exit', ended);
    // Whoever ends the process does not wait for it.
    worker.unref();
  });
}
