import { countingTarget } from './counting.ts';
import { grafbases } from './grafbase.ts';
import { limitTargets } from './limits.ts';
import { peers } from './peers.ts';
import { porticos } from './portico.ts';
import { workerTargets, youngTargets } from './sized.ts';
import type { Target } from './target.ts';
import { tracedTargets } from './traced.ts';

export { plainPortico, porticosAt, type StartedPortico, startPortico } from './portico.ts';
export {
  actionFieldMetadata,
  federationMetadata,
  plainMetadata,
  relationshipMetadata,
  stitchedMetadata,
  wideMetadata,
  wideSdl,
  writeMetadata,
} from './portico-metadata.ts';
export {
  type BenchDependencies,
  expectResponse,
  graphqlRequest,
  type RunningTarget,
  requestAt,
  type Target,
  type TargetAddress,
} from './target.ts';

export { makeCaller, type TokenHolder } from './token.ts';

/** The default targets, in the order of the tables. */
export const TARGETS: readonly Target[] = [...limitTargets, ...porticos, ...grafbases, ...peers];

/**
 * Returns the targets with these names or family names. Those with traces, usage, workers or sizes of the young generation have
 * to be named.
 */
export function targetsNamed(names: readonly string[]): readonly Target[] {
  return [...TARGETS, ...tracedTargets, countingTarget, ...youngTargets, ...workerTargets].filter(
    ({ name, family }) => names.includes(name) || names.includes(family),
  );
}
