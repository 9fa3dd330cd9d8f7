import { GatewayError, toGatewayError } from '../errors.ts';
import type { LiveGraph } from '../graph/index.ts';
import { type Exchange, readJson, sendFlatError, sendJson } from '../http/index.ts';
import type { RestEndpoint } from '../metadata/index.ts';
import type { Client, OperationResult, Operations, PublicError } from '../operation/index.ts';
import type { Authenticator } from '../session/index.ts';
import { matchRoute, type Route } from './routes.ts';
import { endpointVariables } from './variables.ts';

export interface RestEndpointsOptions {
  readonly graph: LiveGraph;
  readonly operations: Operations;
  readonly authenticator: Authenticator;
  readonly maxBodyBytes: number;
}

const PREFIX = '/api/rest/';

/** Answers `/api/rest/*`: each endpoint of the metadata runs its saved operation. */
export function restEndpoints(options: RestEndpointsOptions): (exchange: Exchange) => Promise<void> {
  return async (exchange) => {
    try {
      await answer(exchange, options);
    } catch (thrown) {
      const error = toGatewayError(thrown);
      if (error !== thrown) exchange.log.error({ err: thrown }, 'a request failed in an unforeseen way');
      sendFlatError(exchange.response, error);
    }
  };
}

async function answer(exchange: Exchange, options: RestEndpointsOptions): Promise<void> {
  const route = await findRoute(exchange, options);
  const body = await readBody(exchange, options.maxBodyBytes);
  const { query, operation } = route.endpoint;
  const client: Client = {
    headers: exchange.request.headers,
    requestId: exchange.requestId,
    address: exchange.clientAddress,
    signal: exchange.signal,
    log: exchange.log,
  };
  const variables = endpointVariables(operation, exchange.search, body, route.parameters);
  const request = { query, variables, operationName: operation.name?.value };
  const prepared = await options.operations.prepare(request, client);
  if ('errors' in prepared) throw invalid(prepared.errors);
  send(exchange, await options.operations.run(prepared, false));
}

/** The bearer rule comes first: only who may use an endpoint, or a public one, learns more than that it is refused. */
async function findRoute(exchange: Exchange, options: RestEndpointsOptions): Promise<Route> {
  const { publicGraph, metadata } = options.graph.current;
  const path = exchange.path.slice(PREFIX.length);
  const match = matchRoute(metadata.restEndpoints, exchange.request.method ?? '', path);
  if (match && 'endpoint' in match) return match;

  const isPublic = ({ operation }: RestEndpoint) =>
    operation.selectionSet.selections.every(
      (field) => field.kind === 'Field' && publicGraph.hasRootField(operation.operation, field.name.value),
    );
  const here = metadata.restEndpoints.filter((endpoint) => matchRoute([endpoint], '', path));
  if (!here.some(isPublic)) await options.authenticator.authenticate(exchange.request.headers);
  if (!match) throw new GatewayError('not-found', 'Endpoint not found');
  const allowed = match.allowed.join(', ');
  throw new GatewayError('method-not-allowed', `Allowed methods: ${allowed}`, { headers: { allow: allowed } });
}

async function readBody(exchange: Exchange, maxBodyBytes: number): Promise<Readonly<Record<string, unknown>>> {
  const { method, headers } = exchange.request;
  const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
  if (method === 'GET' || (method === 'DELETE' && !hasBody)) return {};
  const body = await readJson(exchange.request, maxBodyBytes);
  if (body === undefined) return {};
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new GatewayError('parse-failed', 'the request body must be a JSON object');
  return body as Record<string, unknown>;
}

function invalid([first]: readonly PublicError[]): GatewayError {
  return new GatewayError('validation-failed', first?.message ?? 'the operation is not valid', { path: '$' });
}

/** The bare data; or for an error the flat body, with the status that the source named or that goes with its code. */
function send(exchange: Exchange, result: OperationResult): void {
  const { status, headers, cookies } = result.http;
  const all = { ...headers, ...(cookies.length > 0 && { 'set-cookie': cookies }) };
  const [error] = result.errors ?? [];
  if (error) {
    const { code, path = '$' } = error.extensions;
    sendJson(exchange.response, status ?? statusOf(error), { path, error: error.message, code }, all);
  } else {
    sendJson(exchange.response, status ?? 200, result.data ?? {}, all);
  }
}

// An error that a source reported about what it was asked is the caller's; that a source cannot be used is not.
function statusOf({ extensions }: PublicError): number {
  if (extensions.reason === 'timeout') return 504;
  if (extensions.code === 'remote-schema-error') return 502;
  return extensions.code === 'unexpected' ? 500 : 400;
}
