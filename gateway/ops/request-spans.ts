import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import {
  type FixedAttributes,
  fixedAttributes,
  logText,
  OTHER_ROUTE,
  PROPAGATION_HEADERS,
  type Span,
  type Telemetry,
} from '../../platform/index.ts';
import { ERROR_STATUS, type ErrorCode } from '../errors.ts';
import {
  type HttpExchange,
  headerText,
  type RecordedCaller,
  type RecordedOperation,
  RequestRecord,
  sentClientName,
  sentClientVersion,
} from '../http/index.ts';

export interface RequestSpansOptions {
  readonly telemetry: Pick<Telemetry, 'tracer'>;
  /** Whose trace is continued: that of callers behind our own proxies, of all callers, or of none. */
  readonly trust: TraceTrust;
  /** How many proxies of ours stand in front of the gateway. */
  readonly trustedProxies: number;
  /** Whether responses tell their trace, in the header `traceresponse`. */
  readonly respondWithTrace: boolean;
}

export type TraceTrust = 'proxies' | 'all' | 'none';

/** Begins the span of each request that is traced. docs/tracing.md lists its attributes. */
export type RequestSpans = (exchange: HttpExchange) => void;

/** Those that balancers and orchestrators send every few seconds: their traces would be most of what there is. */
const PROBES: ReadonlySet<string> = new Set(['/healthz', '/hasura/healthz', '/readyz']);

const MAX_SPAN_NAME = 128;
const MAX_SPAN_CODES = 10;
const MAX_SPAN_ROUTES = 1_000;

export function requestSpans(options: RequestSpansOptions): RequestSpans {
  const { telemetry, respondWithTrace } = options;
  const ofRoutes = new RouteAttributes();
  const ofOperations: AttributesOf<RecordedOperation> = new WeakMap();
  const ofCallers: AttributesOf<RecordedCaller> = new WeakMap();

  return (exchange) => {
    const { tracer } = telemetry;
    if (!tracer || PROBES.has(exchange.path)) return;
    const { headers } = exchange.request;
    const isTrusted = trustsCaller(options, exchange.request);
    const { startedAt: startMs } = exchange;
    const span = tracer.startRequest({ name: methodOf(exchange), headers, isTrusted, startMs });
    // Services are told of the gateway's span, and by no way of what the caller has sent.
    if (holdsContext(headers)) for (const name of PROPAGATION_HEADERS) delete headers[name];
    exchange.span = span;
    if (respondWithTrace)
      exchange.response.setHeader('traceresponse', `00-${span.traceId}-${span.spanId}-${span.isSampled ? '01' : '00'}`);
    if (!span.isRecording) return;
    exchange.record ??= new RequestRecord();
    exchange.onClose((durationMs) => finish(span, exchange, durationMs));
  };

  function finish(span: Span, exchange: HttpExchange, durationMs: number): void {
    const { response, route, record } = exchange;
    const method = methodOf(exchange);
    const status = response.writableFinished ? response.statusCode : undefined;
    if (route !== OTHER_ROUTE) span.setName(`${method} ${route}`);
    span.addFixed(ofRoutes.of(method, route, status));
    if (record) addRecord(span, record, ofOperations, ofCallers);
    addClientAttributes(span, exchange);
    if (status !== undefined && status >= 500) span.fail(String(status));
    span.end(exchange.startedAt + durationMs);
  }
}

/** One by one, since a lookup by name in a loop costs as much as the rest of a request that is not recorded. */
function holdsContext(headers: IncomingHttpHeaders): boolean {
  return (
    headers.traceparent !== undefined ||
    headers.tracestate !== undefined ||
    headers.baggage !== undefined ||
    headers.b3 !== undefined ||
    headers['x-b3-traceid'] !== undefined ||
    headers['x-b3-spanid'] !== undefined ||
    headers['x-b3-parentspanid'] !== undefined ||
    headers['x-b3-sampled'] !== undefined ||
    headers['x-b3-flags'] !== undefined
  );
}

/** Whether the trace of a request is continued. A caller that has not come by the proxies is not behind them. */
export function trustsCaller(
  { trust, trustedProxies }: Pick<RequestSpansOptions, 'trust' | 'trustedProxies'>,
  { headers }: IncomingMessage,
): boolean {
  if (trust !== 'proxies') return trust === 'all';
  if (trustedProxies === 0) return false;
  const entries = headers['x-forwarded-for']?.toString().split(',') ?? [];
  return entries.length >= trustedProxies;
}

const NAMED_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** @returns `HTTP` for methods that only attackers and WebDAV clients send, as the semantic conventions have it. */
function methodOf({ request: { method = '' } }: HttpExchange): string {
  return NAMED_METHODS.has(method) ? method : 'HTTP';
}

/** Attributes of requests by what there are few of, encoded once. */
class RouteAttributes {
  readonly #known = new Map<string, Map<number, FixedAttributes>>();

  /** @param status undefined where the client went away before the response. */
  of(method: string, route: string, status: number | undefined): FixedAttributes {
    const key = `${method} ${route}`;
    return this.#known.get(key)?.get(status ?? 0) ?? this.#add(key, method, route, status);
  }

  #add(key: string, method: string, route: string, status: number | undefined): FixedAttributes {
    // Each reload may bring other templates.
    if (this.#known.size >= MAX_SPAN_ROUTES) this.#known.clear();
    const byStatus = this.#known.get(key) ?? new Map<number, FixedAttributes>();
    const attributes = fixedAttributes({
      'http.request.method': method === 'HTTP' ? '_OTHER' : method,
      'url.scheme': 'http',
      ...(route !== OTHER_ROUTE && { 'http.route': route }),
      // The path of a template or of a pass-through holds values.
      ...(OWN_PATH.test(route) && { 'url.path': route }),
      ...(status === undefined ? { 'portico.client.disconnected': true } : { 'http.response.status_code': status }),
    });
    this.#known.set(key, byStatus.set(status ?? 0, attributes));
    return attributes;
  }
}

const OWN_PATH = /^\/v1(?:alpha1)?\/\w+$/;

type AttributesOf<Key extends object> = WeakMap<Key, FixedAttributes>;

/** What a request turned out to be, as attributes. Those that many have in common are encoded once where maps are given. */
export function addRecord(
  span: Span,
  { operations, batchSize, caller, errors, codes }: RequestRecord,
  ofOperations: AttributesOf<RecordedOperation> = new WeakMap(),
  ofCallers: AttributesOf<RecordedCaller> = new WeakMap(),
): void {
  const [operation] = operations;
  if (batchSize !== undefined) span.setAttribute('portico.batch.size', batchSize);
  else if (operation) span.addFixed(known(ofOperations, operation, operationAttributes));
  if (caller) span.addFixed(known(ofCallers, caller, ({ role }) => ({ 'portico.role': logText(role, MAX_SPAN_NAME) })));
  if (errors > 0) addErrors(span, errors, codes);
}

function known<Key extends object>(
  attributes: AttributesOf<Key>,
  key: Key,
  valuesOf: (key: Key) => Readonly<Record<string, string>>,
): FixedAttributes {
  const found = attributes.get(key);
  if (found) return found;
  const made = fixedAttributes(valuesOf(key));
  attributes.set(key, made);
  return made;
}

function operationAttributes({ operation, name }: RecordedOperation): Readonly<Record<string, string>> {
  return {
    'graphql.operation.type': operation,
    ...(name && { 'graphql.operation.name': logText(name.value, MAX_SPAN_NAME) }),
  };
}

function addErrors(span: Span, errors: number, codes: readonly unknown[]): void {
  span.setAttribute('portico.errors', errors);
  // Services may have made them up.
  const own = codes.filter(isErrorCode).slice(0, MAX_SPAN_CODES);
  if (own.length > 0) span.setAttribute('portico.error_codes', own);
  const fault = own.find((code) => ERROR_STATUS[code] >= 500);
  if (fault !== undefined) span.fail(fault);
  else if (own.length < codes.length) span.fail('service-error');
}

function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(ERROR_STATUS, code);
}

function addClientAttributes(span: Span, { request: { headers } }: HttpExchange): void {
  const name = sentClientName(headers);
  if (name === undefined) return;
  span.setAttribute('portico.client.name', logText(headerText(name), MAX_SPAN_NAME));
  const version = sentClientVersion(headers);
  if (version !== undefined) span.setAttribute('portico.client.version', logText(headerText(version), MAX_SPAN_NAME));
}
