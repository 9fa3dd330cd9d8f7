import type { ResourceLimits } from 'node:worker_threads';
import { type InitialHeap, inThread, limitHeapGrowth, ThreadEnded } from '../../../platform/index.ts';
import { type Composition, compose, type SubgraphSdl } from './compose.ts';

/**
 * The maximum SDL in characters that is composed in this thread. Composing it takes a few dozen milliseconds, less than
 * starting a thread. 30 subgraphs with 200 types each (1,300,000 characters) take 4 s.
 */
const COMPOSED_AT_ONCE = 10_000;

/** The number of SDL characters from which a graph takes more memory than the rest of the process. */
const LARGE = 500_000;

/** The stack size. Nested requirements are followed by recursion, and chains may have thousands of elements. */
const STACK_MB = 32;

/**
 * Composition needs 160 times its SDL in live memory. Most allocated objects live until the end, so collections of the
 * young generation are wasted. The smaller the spare memory, the more often V8 collects the old generation.
 */
const MB_PER_CHARACTER = 0.00024;
const LEAST_MB = 100;
const COMPOSER_YOUNG_MB = 12;

/** Composition was interrupted for a reason unrelated to the subgraphs, which may compose at the next attempt. */
export class ComposerStopped extends Error {
  constructor(cause: unknown) {
    super('composing was ended before it was done', { cause });
    this.name = 'ComposerStopped';
  }
}

/**
 * Composes subgraphs into a supergraph. Large ones are composed in a separate thread, so that composition does not
 * block requests. The thread's memory is freed afterwards.
 *
 * @param heapMb the thread's heap limit. If it does not suffice, the thread runs again without a limit.
 * @throws ComposerStopped
 */
export async function composeSubgraphs(
  subgraphs: readonly SubgraphSdl[],
  heapMb = Math.max(LEAST_MB, MB_PER_CHARACTER * sdlSize(subgraphs)),
): Promise<Composition> {
  const size = sdlSize(subgraphs);
  if (size <= COMPOSED_AT_ONCE) return compose(subgraphs);
  const isLarge = size >= LARGE;
  if (isLarge) limitHeapGrowth();
  const initialHeap: InitialHeap | undefined = isLarge
    ? { oldGenerationMb: heapMb / 2, semiSpaceMb: COMPOSER_YOUNG_MB / 3 }
    : undefined;
  const given = subgraphs.map(({ name, sdl }) => ({ name, sdl }));
  const inLimits = (limits: ResourceLimits) =>
    inThread<Composition>(
      'gateway/planning/composition/compose-worker.js',
      given,
      { ...limits, stackSizeMb: STACK_MB },
      initialHeap,
    );
  try {
    return await inLimits({ maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: COMPOSER_YOUNG_MB });
  } catch (error) {
    if (!(error instanceof ThreadEnded)) throw error;
  }
  try {
    return await inLimits({});
  } catch (error) {
    throw error instanceof ThreadEnded ? new ComposerStopped(error) : error;
  }
}

function sdlSize(subgraphs: readonly SubgraphSdl[]): number {
  return subgraphs.reduce((sum, { sdl }) => sum + sdl.length, 0);
}
