import { inThread } from '../../platform/index.ts';
import { type Composition, compose, type SubgraphSdl } from './compose.ts';

/**
 * SDL up to which composing takes some tens of milliseconds, in characters: less than it takes to start a thread.
 * 30 subgraphs of 200 types, 1,300,000 characters, take 6 s.
 */
const COMPOSED_AT_ONCE = 10_000;

/** Composing goes from type to type and calls itself each time: a graph of thousands of types is as deep. */
const STACK_MB = 256;

/** Composes subgraphs into a supergraph, in a thread of its own where operations would feel it. */
export async function composeSubgraphs(subgraphs: readonly SubgraphSdl[]): Promise<Composition> {
  const size = subgraphs.reduce((sum, { sdl }) => sum + sdl.length, 0);
  if (size <= COMPOSED_AT_ONCE) return compose(subgraphs);
  const given = subgraphs.map(({ name, sdl }) => ({ name, sdl }));
  return inThread('gateway/composition/compose-worker.js', given, { stackSizeMb: STACK_MB });
}
