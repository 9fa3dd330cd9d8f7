import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import {
  type FixedAttributes,
  fixedAttributes,
  logText,
  OTHER_ROUTE,
  PROPAGATION_HEADERS,
  type Span,
  type Telemetry,
} from '../../../platform/index.ts';
import { ERROR_STATUS, type ErrorCode } from '../../errors.ts';
import {
  type HttpExchange,
  headerText,
  type RecordedCaller,
  type RecordedOperation,
  RequestRecord,
  sentClientName,
  sentClientVersion,
} from '../../transports/http/index.ts';
import { PROBE_PATHS } from './probes.ts';

export interface RequestSpansOptions {
  readonly telemetry: Pick<Telemetry, 'tracer'>;
  /** Which callers' traces are continued: those behind the gateway's own proxies, all, or none. */
  readonly trust: TraceTrust;
  /** The number of trusted proxies in front of the gateway. */
  readonly trustedProxies: number;
  /** Whether responses name their trace in the header `traceresponse`. */
  readonly respondWithTrace: boolean;
}

export type TraceTrust = 'proxies' | 'all' | 'none';

/** Starts the span of each traced request. docs/tracing.md lists its attributes. */
export type RequestSpans = (exchange: HttpExchange) => void;

const NO_ATTRIBUTES = fixedAttributes({});
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
    if (!tracer || PROBE_PATHS.has(exchange.path)) return;
    const { headers } = exchange.request;
    const { startedAt: startMs } = exchange;
    const name = methodOf(exchange);
    let span: Span;
    if (holdsContext(headers)) {
      span = tracer.startRequest({ name, headers, isTrusted: trustsCaller(options, exchange.request), startMs });
      // Services receive the gateway's trace headers, never the caller's.
      for (const name of PROPAGATION_HEADERS) delete headers[name];
    } else span = tracer.startRoot(name, 'server', startMs);
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
    const { name, attributes } = ofRoutes.of(method, route, status);
    span.setName(name);
    if (record) addRecord(span, record, ofOperations, ofCallers, attributes);
    else span.addFixed(attributes);
    addClientAttributes(span, exchange);
    if (status !== undefined && status >= 500) span.fail(String(status));
    span.end(exchange.startedAt + durationMs);
  }
}

/** Separate lookups, since a loop with lookups by name costs as much as everything else in an unrecorded request. */
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

/** Returns whether the trace of a request is continued. A caller that did not come through the proxies is not trusted. */
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

/** @returns `HTTP` for unusual methods, which attackers and WebDAV clients send, as the semantic conventions require. */
function methodOf({ request: { method = '' } }: HttpExchange): string {
  return NAMED_METHODS.has(method) ? method : 'HTTP';
}

interface RouteSpan {
  readonly name: string;
  readonly attributes: FixedAttributes;
}

/** Caches the span names and attributes of requests, of which there are few combinations. */
class RouteAttributes {
  /** By route, method and status. */
  readonly #known = new Map<string, Map<string, Map<number, RouteSpan>>>();

  /** @param status undefined if the client disconnected before the response. */
  of(method: string, route: string, status: number | undefined): RouteSpan {
    const known = this.#known
      .get(route)
      ?.get(method)
      ?.get(status ?? 0);
    return known ?? this.#add(method, route, status);
  }

  #add(method: string, route: string, status: number | undefined): RouteSpan {
    // Each reload may add other templates.
    if (this.#known.size >= MAX_SPAN_ROUTES) this.#known.clear();
    const byMethod = this.#known.get(route) ?? new Map<string, Map<number, RouteSpan>>();
    const byStatus = byMethod.get(method) ?? new Map<number, RouteSpan>();
    const attributes = fixedAttributes({
      'http.request.method': method === 'HTTP' ? '_OTHER' : method,
      'url.scheme': 'http',
      ...(route !== OTHER_ROUTE && { 'http.route': route }),
      // The path of a template or of a pass-through request contains values.
      ...(OWN_PATH.test(route) && { 'url.path': route }),
      ...(status === undefined ? { 'portico.client.disconnected': true } : { 'http.response.status_code': status }),
    });
    const made = { name: route === OTHER_ROUTE ? method : `${method} ${route}`, attributes };
    this.#known.set(route, byMethod.set(method, byStatus.set(status ?? 0, made)));
    return made;
  }
}

const OWN_PATH = /^\/v1(?:alpha1)?\/\w+$/;

type AttributesOf<Key extends object> = WeakMap<Key, FixedAttributes>;

/**
 * Adds the record of a request as attributes. Attributes that many requests share are encoded once if maps are given.
 *
 * @param others attributes that are added with them.
 */
export function addRecord(
  span: Span,
  { operations, batchSize, caller, errors, codes }: RequestRecord,
  ofOperations: AttributesOf<RecordedOperation> = new WeakMap(),
  ofCallers: AttributesOf<RecordedCaller> = new WeakMap(),
  others: FixedAttributes = NO_ATTRIBUTES,
): void {
  const operation = batchSize === undefined ? operations[0] : undefined;
  const ofOperation = operation && known(ofOperations, operation, operationAttributes);
  const ofCaller = caller && known(ofCallers, caller, callerAttributes);
  // Added in one call, since growing a list costs more than the attributes.
  span.addFixed(others, ofOperation ?? NO_ATTRIBUTES, ofCaller ?? NO_ATTRIBUTES);
  if (batchSize !== undefined) span.setAttribute('portico.batch.size', batchSize);
  if (errors > 0) addErrors(span, errors, codes);
}

function callerAttributes({ role }: RecordedCaller): Readonly<Record<string, string>> {
  return { 'portico.role': logText(role, MAX_SPAN_NAME) };
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
  // Services may have invented the codes.
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
