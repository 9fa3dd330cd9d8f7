import { limits } from './limits.ts';
import { peers } from './peers.ts';
import { porticos } from './portico.ts';
import type { Target } from './target.ts';

export { plainPortico, type StartedPortico, startPortico } from './portico.ts';
export { federationMetadata, plainMetadata, wideMetadata, wideSdl, writeMetadata } from './portico-metadata.ts';
export {
  type Address,
  expectAnswer,
  graphqlRequest,
  type RunningTarget,
  requestAt,
  type Surroundings,
  type Target,
} from './target.ts';

/** Everything that can be measured, in the order of the tables. */
export const TARGETS: readonly Target[] = [...limits, ...porticos, ...peers];

/** The targets with these names or family names. */
export function targetsNamed(names: readonly string[]): readonly Target[] {
  return TARGETS.filter(({ name, family }) => names.includes(name) || names.includes(family));
}
