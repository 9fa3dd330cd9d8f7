import { type ErrorCode, GatewayError, toGatewayError } from '../errors.ts';
import type { LiveGraph } from '../graph/index.ts';
import { type Exchange, readJson, sendFlatError, sendJson } from '../http/index.ts';
import type { RestEndpoint } from '../metadata/index.ts';
import type { Client, OperationResult, Operations, PublicError } from '../operation/index.ts';
import type { Authenticator } from '../session/index.ts';
import { errorStatus } from './error-status.ts';
import { isPublic } from './public-endpoint.ts';
import { createRoutes, type FindRoutes, type Route } from './routes.ts';
import { kindsOfTypes } from './url-values.ts';
import { endpointVariables, missingVariable } from './variables.ts';

export interface RestEndpointsOptions {
  readonly graph: LiveGraph;
  readonly operations: Operations;
  readonly authenticator: Authenticator;
  readonly maxBodyBytes: number;
}

const PREFIX = '/api/rest/';
const METHODS = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);
/** Methods that HTTP itself has (RFC 9110 section 9) and no endpoint. */
const OTHER_METHODS = new Set(['HEAD', 'OPTIONS', 'TRACE', 'CONNECT']);

/** Answers `/api/rest/*`: each endpoint of the metadata runs its saved operation. */
export function restEndpoints(options: RestEndpointsOptions): (exchange: Exchange) => Promise<void> {
  const prepared = new WeakMap<readonly RestEndpoint[], FindRoutes>();
  const routesFor = (endpoints: readonly RestEndpoint[]) => {
    const find = prepared.get(endpoints) ?? createRoutes(endpoints);
    prepared.set(endpoints, find);
    return find;
  };
  return async (exchange) => {
    try {
      await answer(exchange, routesFor(options.graph.current.metadata.restEndpoints), options);
    } catch (thrown) {
      const error = toGatewayError(thrown);
      if (error !== thrown) exchange.log.error({ err: thrown }, 'a request failed in an unforeseen way');
      sendFlatError(exchange.response, error);
    }
  };
}

async function answer(exchange: Exchange, findRoutes: FindRoutes, options: RestEndpointsOptions): Promise<void> {
  const client: Client = {
    headers: exchange.request.headers,
    requestId: exchange.requestId,
    address: exchange.clientAddress,
    signal: exchange.signal,
    log: exchange.log,
  };
  const routes = findRoutes(exchange.path.slice(PREFIX.length));
  const { endpoint, variables } = await readRequest(exchange, routes, options);
  const request = { query: endpoint.query, variables, operationName: endpoint.operation.name?.value };
  const prepared = await options.operations.prepare(request, client, { isSaved: true });
  if ('errors' in prepared) throw missingVariable(endpoint.operation, variables) ?? invalid(prepared.errors);
  send(exchange, await options.operations.run(prepared, false));
}

/** The endpoint that a request is for, and its variables. */
async function readRequest(exchange: Exchange, routes: readonly Route[], options: RestEndpointsOptions) {
  const { publicGraph, sources } = options.graph.current;
  const method = exchange.request.method ?? '';
  const route = routes.find(({ endpoint }) => endpoint.metadata.methods.some((allowed) => allowed === method));
  try {
    if (!route) throw noRoute(method, routes);
    const { endpoint, parameters } = route;
    const given = { search: exchange.search, body: await readBody(exchange, options.maxBodyBytes), parameters };
    const kindOf = kindsOfTypes(sources.map((source) => source.schema));
    return { endpoint, variables: endpointVariables(endpoint.operation, given, kindOf) };
  } catch (error) {
    // The bearer rule comes first: only who may use an endpoint, or a public one, learns what is wrong.
    const judged = route ? [route] : routes;
    if (!judged.some(({ endpoint }) => isPublic(endpoint, publicGraph)))
      await options.authenticator.authenticate(exchange.request.headers);
    throw error;
  }
}

function noRoute(method: string, routes: readonly Route[]): GatewayError {
  if (OTHER_METHODS.has(method)) return new GatewayError('bad-request', `Method ${method} not supported.`);
  if (!METHODS.has(method)) return new GatewayError('bad-request', 'Nonstandard method not allowed for REST endpoints');
  if (routes.length === 0) return new GatewayError('not-found', 'Endpoint not found');
  const allowed = [...new Set(routes.flatMap(({ endpoint }) => endpoint.metadata.methods))].join(', ');
  return new GatewayError('method-not-allowed', `Allowed methods: ${allowed}`, { headers: { allow: allowed } });
}

async function readBody(exchange: Exchange, maxBodyBytes: number): Promise<Readonly<Record<string, unknown>>> {
  const { 'content-length': length, 'transfer-encoding': encoding } = exchange.request.headers;
  if (encoding === undefined && (length === undefined || Number(length) === 0)) return {};
  const body = await readJson(exchange.request, maxBodyBytes);
  if (body === undefined) return {};
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new GatewayError('parse-failed', 'the request body must be a JSON object');
  return body as Record<string, unknown>;
}

function invalid([first]: readonly PublicError[]): GatewayError {
  const code = first?.extensions.code as ErrorCode | undefined;
  return new GatewayError(code ?? 'validation-failed', first?.message ?? 'the operation is not valid', { path: '$' });
}

/**
 * The bare data. An error takes its place: a bare object has no room to say what is missing from it, so of an operation
 * that failed in part nothing is shown.
 */
function send(exchange: Exchange, result: OperationResult): void {
  const { status, headers, cookies } = result.http;
  const all = { ...headers, ...(cookies.length > 0 && { 'set-cookie': cookies }) };
  const [error] = result.errors ?? [];
  if (error) {
    sendJson(exchange.response, errorStatus(error, status), flatError(error), all);
  } else {
    sendJson(exchange.response, status ?? 200, result.data ?? {}, all);
  }
}

/** An error as Hasura's flat body. A source's extensions may hold anything; what programs read of them stays text. */
function flatError({ message, extensions }: PublicError) {
  const { code = 'unexpected', path, internal } = extensions;
  return {
    path: typeof path === 'string' ? path : '$',
    error: message,
    code: String(code),
    ...(internal !== undefined && { internal }),
  };
}
