import type { Generation } from '../graph/index.ts';
import type { RestEndpoint } from '../metadata/index.ts';
import { needsOfOperation } from '../operation/index.ts';
import { fragmentsOf } from '../syntax/index.ts';

/** Which credentials the operation of an endpoint needs. */
export function needsOfEndpoint({ document, operation }: RestEndpoint, generation: Generation) {
  return needsOfOperation(operation, fragmentsOf(document), generation);
}
