import type { Request, RequestHandler } from 'express';
import { type Logger, REQUEST_ID_HEADER, requestIdOf, type Span } from '../../platform/index.ts';

/** Requested every few seconds by orchestrators and monitoring. */
const HEALTH_PATHS = new Set(['/healthz', '/readyz']);
/** Requested every few seconds by each worker of each gateway; only refusals tell something. */
const REVOCATIONS_PATH = '/revocations';

export interface RequestLog {
  /** Gives each request its id, echoes it, and logs the request when its response is out. */
  middleware: RequestHandler;
  /** The log of one request: every line has its id. */
  loggerOf(request: Request): Logger;
  /** Null before the middleware has seen it. */
  idOf(request: Request): string | null;
}

/**
 * One line a request: method, path without its query, status and time. Never a header, never a body.
 *
 * @param spanOf the request's span, whose ids each of its lines has.
 */
export function createRequestLog(logger: Logger, spanOf: (request: Request) => Span | undefined): RequestLog {
  const loggers = new WeakMap<Request, Logger>();
  const ids = new WeakMap<Request, string>();
  return {
    loggerOf: (request) => loggers.get(request) ?? logger,
    idOf: (request) => ids.get(request) ?? null,
    middleware(request, response, next) {
      const requestId = requestIdOf(request);
      // A router below a path changes what the request says of it.
      const { method, path } = request;
      const span = spanOf(request);
      const requestLogger = logger.child({
        request_id: requestId,
        ...(span && { trace_id: span.traceId, span_id: span.spanId }),
      });
      loggers.set(request, requestLogger);
      ids.set(request, requestId);
      response.setHeader(REQUEST_ID_HEADER, requestId);
      const startedAt = performance.now();
      response.on('close', () => {
        const isRoutine = HEALTH_PATHS.has(path) || (path === REVOCATIONS_PATH && response.statusCode === 200);
        const level = isRoutine ? 'debug' : 'info';
        requestLogger[level](
          {
            event: 'request.completed',
            method,
            path,
            status: response.statusCode,
            duration_ms: Math.round(performance.now() - startedAt),
            ...(response.writableFinished ? {} : { aborted: true }),
          },
          'request',
        );
      });
      next();
    },
  };
}
