import type { RequestHandler } from 'express';
import { repeatedHeader } from '../../platform/index.ts';

/** Rejects a request that repeats a header that may occur only once. Of two credentials, neither counts. */
export function requireSingleHeaders(refusal: () => Error): RequestHandler {
  return (request, _response, next) => next(repeatedHeader(request.rawHeaders) === undefined ? undefined : refusal());
}
