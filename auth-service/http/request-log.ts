import type { Request, RequestHandler } from 'express';
import { type Logger, REQUEST_ID_HEADER, requestIdOf, type Span } from '../../platform/index.ts';

/** Orchestrators and monitoring request these every few seconds. */
const HEALTH_PATHS = new Set(['/healthz', '/readyz']);
/** Each worker of each gateway requests this every few seconds, so only refusals are logged. */
const REVOCATIONS_PATH = '/revocations';

export interface RequestLog {
  /** Gives each request its id, echoes it, and logs the request after its response. */
  middleware: RequestHandler;
  /** Returns the log of a request. Every line has the request's id. */
  loggerOf(request: Request): Logger;
  /** Returns null before the middleware has run. */
  idOf(request: Request): string | null;
}

/**
 * Logs one line for each request: method, path without its query, status and duration. It never contains headers or bodies.
 *
 * @param spanOf returns the request's span, whose ids each of its lines has.
 */
export function createRequestLog(logger: Logger, spanOf: (request: Request) => Span | undefined): RequestLog {
  const loggers = new WeakMap<Request, Logger>();
  const ids = new WeakMap<Request, string>();
  return {
    loggerOf: (request) => loggers.get(request) ?? logger,
    idOf: (request) => ids.get(request) ?? null,
    middleware(request, response, next) {
      const requestId = requestIdOf(request);
      // A router below a path changes the path in the request.
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
