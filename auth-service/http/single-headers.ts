import type { RequestHandler } from 'express';
import { repeatedHeader } from '../../platform/index.ts';

/** Refuses a request that has a header twice that may be there once: of two credentials neither counts. */
export function requireSingleHeaders(refusal: () => Error): RequestHandler {
  return (request, _response, next) => next(repeatedHeader(request.rawHeaders) === undefined ? undefined : refusal());
}
