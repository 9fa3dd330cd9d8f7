import type { Generation } from '../../graph/index.ts';
import { fragmentsOf } from '../../graphql/syntax/index.ts';
import type { RestEndpoint } from '../../metadata/index.ts';
import { needsOfOperation } from '../../pipeline/index.ts';

/** Returns which credentials the operation of an endpoint needs. */
export function needsOfEndpoint({ document, operation }: RestEndpoint, generation: Generation) {
  return needsOfOperation(operation, fragmentsOf(document), generation);
}
