import type { Generation } from '../graph/index.ts';
import type { RestEndpoint } from '../metadata/index.ts';
import { fragmentsOf, needsOfOperation } from '../operation/index.ts';

/** Which credentials the operation of an endpoint needs. */
export function needsOfEndpoint({ document, operation }: RestEndpoint, generation: Generation) {
  return needsOfOperation(operation, fragmentsOf(document), generation);
}
