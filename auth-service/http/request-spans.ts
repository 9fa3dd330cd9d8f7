import type { Request, RequestHandler, Response } from 'express';
import { fixedAttributes, type Span, type Telemetry } from '../../platform/index.ts';
import type { ActiveSpan } from '../active-span.ts';
import { routeOf } from './route-of.ts';

/** Gateways, orchestrators and monitoring request these every few seconds. */
const UNTRACED_PATHS = new Set(['/healthz', '/readyz', '/revocations']);

/** The methods of the semantic conventions. The name of a span has no other method. */
const KNOWN_METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'CONNECT', 'OPTIONS', 'TRACE', 'PATCH']);

const HTTP = fixedAttributes({ 'url.scheme': 'http', 'network.protocol.name': 'http' });

export interface RequestSpansOptions {
  telemetry: Telemetry;
  activeSpan: ActiveSpan;
  /** Returns whether a request comes from a gateway. Only then is its trace continued. */
  isFromGateway: (request: Request) => boolean;
}

export interface RequestSpans {
  /** Creates a span of each request while tracing is on. */
  middleware: RequestHandler;
  /** Returns undefined if there is none. */
  spanOf(request: Request): Span | undefined;
}

/**
 * Creates the spans of requests, by the semantic conventions for HTTP servers. They contain the route of the path, but no
 * query, address or header.
 */
export function createRequestSpans({ telemetry, activeSpan, isFromGateway }: RequestSpansOptions): RequestSpans {
  const spans = new WeakMap<Request, Span>();
  return {
    spanOf: (request) => spans.get(request),
    middleware(request, response, next) {
      const { tracer } = telemetry;
      if (!tracer || UNTRACED_PATHS.has(request.path)) return next();
      const method = KNOWN_METHODS.has(request.method) ? request.method : 'HTTP';
      const { headers } = request;
      const span = tracer.startRequest({ name: method, headers, isTrusted: isFromGateway(request) });
      span.addFixed(HTTP);
      span.setAttribute('http.request.method', method === 'HTTP' ? '_OTHER' : method);
      spans.set(request, span);
      response.once('close', () => endSpan(span, method, request, response));
      activeSpan.run(span, next);
    },
  };
}

function endSpan(span: Span, method: string, request: Request, response: Response): void {
  const route = routeOf(request);
  if (route !== undefined) {
    span.setName(`${method} ${route}`);
    span.setAttribute('http.route', route);
  }
  const { statusCode } = response;
  if (response.writableFinished) span.setAttribute('http.response.status_code', statusCode);
  // A client error is not an error of the server's span (OpenTelemetry, HTTP semantic conventions).
  if (!response.writableFinished) span.fail('aborted', 'the connection was closed before the response was sent');
  else if (statusCode >= 500) span.fail(String(statusCode));
  span.end();
}
