import type { IncomingMessage } from 'node:http';
import { type Authenticator, CHALLENGE } from '../../access/session/index.ts';
import { type GatewayError, methodNotAllowed, toLoggedError } from '../../errors.ts';
import type { Generation, LiveGraph } from '../../graph/index.ts';
import type { RestEndpoint } from '../../metadata/index.ts';
import {
  dataIn,
  flatRefusal,
  type OperationPipeline,
  type OperationResult,
  type PreparedRequest,
  type PublicError,
  writtenJson,
} from '../../pipeline/index.ts';
import { codeWithoutExtensions } from '../../sources/index.ts';
import { type HttpExchange, readJson, sendCompressible, sendFlatError, sendJson } from '../http/index.ts';
import { needsOfEndpoint } from './endpoint-access.ts';
import { errorStatus } from './error-status.ts';
import { bodyNotAnObject, endpointNotFound, nonstandardMethod, unsupportedEndpointMethod } from './errors.ts';
import { createRoutes, type FindRoutes, REST_PREFIX, type Route } from './routes.ts';
import { type KindOfType, kindsOfTypes } from './url-values.ts';
import { endpointVariables, missingVariable, type VariableSources } from './variables.ts';

export interface RestEndpointsOptions {
  readonly graph: LiveGraph;
  readonly operations: OperationPipeline;
  readonly authenticator: Authenticator;
  readonly maxBodyBytes: number;
}

/** The route in metrics for paths without an endpoint. */
const UNKNOWN_ENDPOINT = `${REST_PREFIX}*`;
const ENDPOINT_METHODS = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);
/** Methods that HTTP defines (RFC 9110 section 9) but no endpoint has. */
const OTHER_METHODS = new Set(['HEAD', 'OPTIONS', 'TRACE', 'CONNECT']);

/** The parts that are derived once from each generation of the graph. */
interface Prepared {
  readonly generation: Generation;
  readonly findRoutes: FindRoutes;
  readonly kindOf: KindOfType;
}

/** Serves `/api/rest/*`. Each endpoint of the metadata runs its saved operation. */
export function restEndpoints(options: RestEndpointsOptions): (exchange: HttpExchange) => void {
  let prepared = prepare(options.graph.current);
  return (exchange) => {
    const generation = options.graph.current;
    if (prepared.generation !== generation) prepared = prepare(generation);
    new RestExchange(exchange, prepared, options).receive();
  };
}

function prepare(generation: Generation): Prepared {
  return {
    generation,
    findRoutes: createRoutes(generation.metadata.restEndpoints),
    kindOf: kindsOfTypes(generation.sources.map((source) => source.schema)),
  };
}

/** A request to a REST endpoint. The methods are in the order of the stages. An error in any of them rejects the request. */
class RestExchange {
  readonly #exchange: HttpExchange;
  readonly #prepared: Prepared;
  readonly #options: RestEndpointsOptions;
  readonly #routes: readonly Route[];
  /** The endpoint that has the request's method. */
  readonly #route: Route | undefined;

  constructor(exchange: HttpExchange, prepared: Prepared, options: RestEndpointsOptions) {
    const { method } = exchange.request;
    this.#exchange = exchange;
    this.#prepared = prepared;
    this.#options = options;
    this.#routes = prepared.findRoutes(exchange.path.slice(REST_PREFIX.length));
    this.#route = this.#routes.find(({ endpoint }) => endpoint.metadata.methods.some((allowed) => allowed === method));
    exchange.route = this.#route?.template ?? UNKNOWN_ENDPOINT;
  }

  receive(): void {
    const { request } = this.#exchange;
    const route = this.#route;
    if (!route) this.#refuseRequest(noRoute(request.method ?? '', this.#routes));
    else if (isWithoutBody(request)) this.#attempt(() => this.#prepare(route, {}));
    else
      readJson(this.#exchange, this.#options.maxBodyBytes, (refusal, body) => {
        if (refusal) this.#refuseRequest(refusal);
        else if (!isBody(body)) this.#refuseRequest(bodyNotAnObject());
        else this.#attempt(() => this.#prepare(route, body ?? {}));
      });
  }

  #prepare(route: Route, body: Readonly<Record<string, unknown>>): void {
    const { endpoint, parameters } = route;
    const variables = this.#variables(route, { search: this.#exchange.search, body, parameters });
    if (!variables) return;
    const request = { query: endpoint.query, variables, operationName: endpoint.operation.name?.value };
    const { session_condition: sessionCondition } = endpoint.metadata;
    const prepared = this.#options.operations.prepare(request, this.#exchange, { isSaved: true, sessionCondition });
    if (prepared instanceof Promise)
      prepared.then(
        (known) => this.#attempt(() => this.#run(endpoint, variables, known)),
        (thrown) => this.#refuse(thrown),
      );
    else this.#run(endpoint, variables, prepared);
  }

  /** Returns undefined if the variables are rejected. */
  #variables({ endpoint }: Route, given: VariableSources): Readonly<Record<string, unknown>> | undefined {
    try {
      return endpointVariables(endpoint.operation, given, this.#prepared.kindOf);
    } catch (error) {
      this.#refuseRequest(error);
      return undefined;
    }
  }

  #run(endpoint: RestEndpoint, variables: Readonly<Record<string, unknown>>, prepared: PreparedRequest): void {
    if (prepared.kind === 'rejected')
      throw missingVariable(endpoint.operation, variables) ?? flatRefusal(prepared, '$');
    this.#options.operations.execute(prepared, { withEnvelope: false, asBytes: true }, (result) =>
      this.#attempt(() => sendResult(this.#exchange, result, prepared.mayCompress)),
    );
  }

  /** Authenticates first: only authorized callers learn what is wrong with a request. */
  #refuseRequest(refusal: unknown): void {
    this.#admitted().then(
      () => this.#refuse(refusal),
      (thrown) => this.#refuse(thrown),
    );
  }

  /** If several endpoints have the path, the one with the lowest requirements counts. */
  async #admitted(): Promise<void> {
    const { authenticator } = this.#options;
    const { span, clientAddress } = this.#exchange;
    const { headers } = this.#exchange.request;
    const possible = this.#route ? [this.#route] : this.#routes;
    const needs = possible.map(({ endpoint }) => needsOfEndpoint(endpoint, this.#prepared.generation));
    if (needs.includes('nothing')) return;
    await (needs.includes('public')
      ? authenticator.authenticateIfShown(headers, clientAddress, undefined, span)
      : authenticator.authenticate(headers, clientAddress, undefined, span));
  }

  #attempt(step: () => void): void {
    try {
      step();
    } catch (thrown) {
      this.#refuse(thrown);
    }
  }

  #refuse(thrown: unknown): void {
    sendFlatError(this.#exchange, toLoggedError(thrown, this.#exchange));
  }
}

function noRoute(method: string, routes: readonly Route[]): GatewayError {
  if (OTHER_METHODS.has(method)) return unsupportedEndpointMethod(method);
  if (!ENDPOINT_METHODS.has(method)) return nonstandardMethod();
  if (routes.length === 0) return endpointNotFound();
  const allowed = [...new Set(routes.flatMap(({ endpoint }) => endpoint.metadata.methods))].join(', ');
  return methodNotAllowed(allowed);
}

function isWithoutBody({ headers }: IncomingMessage): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = headers;
  return encoding === undefined && (length === undefined || Number(length) === 0);
}

function isBody(body: unknown): body is Readonly<Record<string, unknown>> | undefined {
  return body === undefined || (typeof body === 'object' && body !== null && !Array.isArray(body));
}

/**
 * Sends the data without an envelope, or only the first error. Partial data is not sent, since an object without an `errors`
 * member cannot report partial failures.
 */
function sendResult(exchange: HttpExchange, result: OperationResult, mayCompress: boolean): void {
  const { status, headers, cookies } = result.http;
  const [error] = result.errors ?? [];
  const answered = error ? errorStatus(error, status) : (status ?? 200);
  const own = answered === 401 ? { ...CHALLENGE, ...headers } : headers;
  const all = cookies.length === 0 ? own : { ...own, 'set-cookie': cookies };
  // The explanation is added next to the fields unless one of them has its name.
  const { extensions } = result.beside;
  const beside = extensions === undefined ? undefined : { extensions };
  if (error) sendJson(exchange, answered, { ...flatError(error), ...beside }, all);
  else {
    const body = result.bytes ? dataIn(result.bytes) : writtenJson({ ...beside, ...result.data });
    if (mayCompress && cookies.length === 0) sendCompressible(exchange, answered, body, all);
    else sendJson(exchange, answered, body, all);
  }
}

/**
 * Returns an error as Hasura's flat body. A source's extensions may contain anything, so `path` and `code` are converted to
 * text.
 */
function flatError({ message, extensions }: PublicError) {
  const { path, internal } = extensions;
  const code = codeWithoutExtensions(extensions);
  return {
    path: typeof path === 'string' ? path : '$',
    error: message,
    code: typeof code === 'object' ? 'unexpected' : String(code),
    ...(internal !== undefined && { internal }),
  };
}
