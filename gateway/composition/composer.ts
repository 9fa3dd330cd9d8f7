import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { type Composition, compose, type SubgraphSdl } from './compose.ts';

/**
 * SDL up to which composing takes some tens of milliseconds, in characters: less than it takes to start a thread.
 * 50 subgraphs of 20 types, 400,000 characters, take 1.4 s.
 */
const COMPOSED_AT_ONCE = 10_000;

/** Worker threads load plain JavaScript only, so this is the compiled file even when the rest runs from its sources. */
const WORKER = 'dist/gateway/composition/compose-worker.js';

/** Composes subgraphs into a supergraph, in a thread of its own where operations would feel it. */
export async function composeSubgraphs(subgraphs: readonly SubgraphSdl[]): Promise<Composition> {
  const size = subgraphs.reduce((sum, { sdl }) => sum + sdl.length, 0);
  if (size <= COMPOSED_AT_ONCE) return compose(subgraphs);
  return new Promise((resolve, reject) => {
    const worker = new Worker(workerFile(), { workerData: subgraphs.map(({ name, sdl }) => ({ name, sdl })) });
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', (code) => reject(new Error(`composing ended without a result (code ${code})`)));
    // Whoever ends the process does not wait for it.
    worker.unref();
  });
}

function workerFile(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) {
    if (folder === dirname(folder)) throw new Error('no package.json above the gateway');
    folder = dirname(folder);
  }
  return join(folder, WORKER);
}
