import type { RequestHandler } from 'express';
import { type Logger, REQUEST_ID_HEADER, requestIdOf, type Telemetry } from '../../platform/index.ts';

/**
 * Logs each request, and goes on with its trace.
 *
 * The request id and the trace come from Portico, so that one id finds a request in the logs of both. The trace is in the header
 * `traceparent` (https://www.w3.org/TR/trace-context/); it is believed from any sender, as the claims are.
 */
export function logRequests(log: Logger, telemetry: Pick<Telemetry, 'tracer'>): RequestHandler {
  return (request, response, next) => {
    const began = performance.now();
    const { method, path, headers } = request;
    const span = telemetry.tracer?.startRequest({ name: method, headers, isTrusted: true });
    const traceId = span?.traceId ?? traceIdOf(headers.traceparent);
    const request_id = requestIdOf(request);
    response.setHeader(REQUEST_ID_HEADER, request_id);
    response.once('close', () => {
      const { statusCode: status } = response;
      span?.setName(`${method} ${request.route?.path ?? ''}`.trim());
      span?.setAttribute('http.request.method', method);
      span?.setAttribute('http.response.status_code', status);
      if (status >= 500) span?.fail(String(status));
      span?.end();
      log.info({
        event: 'request.completed',
        request_id,
        ...(traceId !== undefined && { trace_id: traceId }),
        ...(span && { span_id: span.spanId }),
        method,
        path,
        status,
        duration_ms: Math.round(performance.now() - began),
      });
    });
    next();
  };
}

/** All that a service without spans of its own needs of a trace: the id that its log lines are found by. */
function traceIdOf(traceParent: string | string[] | undefined): string | undefined {
  return /^[0-9a-f]{2}-([0-9a-f]{32})-/.exec(String(traceParent))?.[1];
}
