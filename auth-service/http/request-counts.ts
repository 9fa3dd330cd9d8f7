import type { Request, RequestHandler } from 'express';
import { CLIENT_CLOSED_REQUEST, type HttpServerCounts, OTHER_ROUTE, type Span } from '../../platform/index.ts';
import { routeOf } from './route-of.ts';

/** Counts requests by route. @param spanOf returns the span of a request, to find slow ones. */
export function countRequests(
  counts: HttpServerCounts,
  spanOf: (request: Request) => Span | undefined,
): RequestHandler {
  return (request, response, next) => {
    const startedAt = performance.now();
    counts.active += 1;
    response.once('close', () => {
      counts.active -= 1;
      const status = response.writableFinished ? response.statusCode : CLIENT_CLOSED_REQUEST;
      const durationMs = performance.now() - startedAt;
      counts.add(routeOf(request) ?? OTHER_ROUTE, request.method, status, durationMs, spanOf(request));
    });
    next();
  };
}
