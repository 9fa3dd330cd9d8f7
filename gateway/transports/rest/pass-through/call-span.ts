import { type FixedAttributes, fixedAttributes, type Span } from '../../../../platform/index.ts';
import { type TracedHeaders, withHeaders } from '../../../upstream/index.ts';

/** How the trace context is propagated to a service. */
export interface CallTracing {
  readonly attributes: FixedAttributes;
  /** Alternating names and values of further headers. */
  readonly headers: readonly string[];
}

export function callTracing(name: string, origin: string, traced: TracedHeaders | undefined): CallTracing {
  const { protocol, hostname, port } = new URL(origin);
  return {
    attributes: fixedAttributes({
      'server.address': hostname,
      'server.port': Number(port) || (protocol === 'https:' ? 443 : 80),
      'portico.source.name': name,
      'portico.source.kind': 'service',
    }),
    headers: traced?.origin === origin ? traced.headers : [],
  };
}

/** Starts the span of a call to a service. Undefined while tracing is off. */
export function startCall(
  parent: Span | undefined,
  method: string | undefined,
  name: string,
  { attributes }: CallTracing,
): Span | undefined {
  const call = parent?.startChild(`${method} ${name}`, 'client', attributes);
  if (method !== undefined) call?.setAttribute('http.request.method', method);
  return call;
}

/** @returns the headers with the trace context, which replaces the client's headers of the same names. */
export function headersWithContext(
  headers: Readonly<Record<string, string>>,
  call: Span | undefined,
  { headers: own }: CallTracing,
): Readonly<Record<string, string>> {
  if (!call) return headers;
  return withHeaders(headers, [...call.headers, ...own]) as Readonly<Record<string, string>>;
}
