import { type FixedAttributes, fixedAttributes, type Span } from '../../../platform/index.ts';
import type { UpstreamError, UpstreamHandler } from '../exchange.ts';
import type { UpstreamRequest } from '../http-client.ts';
import { withHeaders } from '../with-headers.ts';
import { InterceptingHandler, type Interceptor } from './interceptor.ts';
import type { CalledSource } from './record-calls.ts';

/**
 * Gives each call of a source a span, however often it is tried, and tells the source of it by headers. A call without a span
 * to be below of, which is each one while tracing is off, is passed on as it is.
 */
export function traceCalls(source: CalledSource): Interceptor {
  const attributesOf = callAttributes(source);
  return (next) => (request, handler) => {
    const { span } = request;
    if (span === undefined) {
      next(request, handler);
      return;
    }
    if (!span.isRecording) {
      next({ ...request, headers: withHeaders(request.headers, span.headers) }, handler);
      return;
    }
    const call = span.startChild(`${request.method} ${source.name}`, 'client', attributesOf(request));
    next(
      { ...request, span: call, headers: withHeaders(request.headers, call.headers) },
      new TracedCall(handler, call),
    );
  };
}

/** What the spans of calls with one method to one address have in common. The path is left out: it may hold values. */
function callAttributes({ name, kind }: CalledSource): (request: UpstreamRequest) => FixedAttributes {
  let last: { readonly url: string; readonly method: string; readonly attributes: FixedAttributes } | undefined;
  return ({ url, method }) => {
    if (last?.url !== url || last.method !== method) last = { url, method, attributes: attributesOf(url, method) };
    return last.attributes;
  };

  function attributesOf(url: string, method: string): FixedAttributes {
    const { protocol, hostname, port } = URL.canParse(url) ? new URL(url) : UNKNOWN_ORIGIN;
    return fixedAttributes({
      'http.request.method': method,
      'server.address': hostname,
      'server.port': Number(port) || (protocol === 'https:' ? 443 : 80),
      'portico.source.name': name,
      'portico.source.kind': kind,
    });
  }
}

const UNKNOWN_ORIGIN = { protocol: 'http:', hostname: '', port: '' };

class TracedCall extends InterceptingHandler {
  readonly #span: Span;

  constructor(handler: UpstreamHandler, span: Span) {
    super(handler);
    this.#span = span;
  }

  protected ended(status: number): void {
    this.#span.setAttribute('http.response.status_code', status);
    if (status >= 400) this.#span.fail(String(status));
    this.#span.end();
  }

  protected failed({ reason }: UpstreamError): void {
    // One whose client has gone has not failed.
    if (reason === 'aborted') this.#span.setAttribute('error.type', reason);
    else this.#span.fail(reason);
    this.#span.end();
  }
}
