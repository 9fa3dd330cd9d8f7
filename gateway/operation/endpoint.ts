import { GatewayError, toGatewayError } from '../errors.ts';
import { type Exchange, negotiate, type ResponseType, readJson, sendJson } from '../http/index.ts';
import { type PublicError, refusedRequest } from './errors.ts';
import { type Incoming, readOperations, readQueryString } from './incoming.ts';
import type { Client, InvalidOperation, Operations, ReadyOperation } from './run.ts';

export interface GraphqlEndpointOptions {
  readonly operations: Operations;
  readonly maxBodyBytes: number;
  /** Whether a login's JSON response gets the member that the reference contract shows. */
  readonly referenceEnvelope: boolean;
}

/** One response object, and what it says about HTTP. */
interface Answer {
  readonly body: Readonly<Record<string, unknown>> | Buffer;
  /** The status under `application/graphql-response+json`. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly cookies: readonly string[];
}

/** Answers `/v1/graphql` (GraphQL over HTTP): POST, GET for queries, batches, both media types. */
export function graphqlEndpoint(options: GraphqlEndpointOptions): (exchange: Exchange) => Promise<void> {
  return async (exchange) => {
    const type = negotiate(exchange.request.headers.accept);
    try {
      if (!type) throw new GatewayError('not-acceptable', 'expected to answer with application/json');
      await answer(exchange, type, options);
    } catch (thrown) {
      const error = toGatewayError(thrown);
      if (error !== thrown) exchange.log.error({ err: thrown }, 'a request failed in an unforeseen way');
      const headers = { ...error.headers, 'content-type': contentType(type ?? 'application/json') };
      sendJson(exchange.response, error.status, { errors: [refusedRequest(error)] }, headers);
    }
  };
}

async function answer(exchange: Exchange, type: ResponseType, options: GraphqlEndpointOptions): Promise<void> {
  const incoming = await readIncoming(exchange, options);
  const client: Client = {
    headers: exchange.request.headers,
    requestId: exchange.requestId,
    address: exchange.clientAddress,
    signal: exchange.signal,
    log: exchange.log,
  };
  const requests = incoming.batch ? incoming.requests : [incoming.request];
  // All are prepared before any runs: a batch with one operation that its caller may not send does nothing at all.
  const prepared: (ReadyOperation | InvalidOperation)[] = [];
  const batchSize = requests.length;
  for (const request of requests) prepared.push(await options.operations.prepare(request, client, { batchSize }));
  if (exchange.request.method === 'GET') refuseMutations(prepared);

  const answers: Answer[] = [];
  for (const operation of prepared) answers.push(await answerOne(operation, type, !incoming.batch, options));
  send(exchange, type, incoming.batch, answers);
}

async function readIncoming(exchange: Exchange, options: GraphqlEndpointOptions): Promise<Incoming> {
  const { request } = exchange;
  if (request.method === 'GET') return { batch: false, request: readQueryString(new URLSearchParams(exchange.search)) };
  if (request.method !== 'POST')
    throw new GatewayError('method-not-allowed', 'Allowed methods: GET, POST', { headers: { allow: 'GET, POST' } });
  const body = await readJson(request, options.maxBodyBytes);
  if (body === undefined) throw new GatewayError('invalid-json', 'the request has no body');
  return readOperations(body, options.operations.maxBatch);
}

function refuseMutations(prepared: readonly (ReadyOperation | InvalidOperation)[]): void {
  for (const operation of prepared)
    if ('operation' in operation && operation.operation.operation !== 'query')
      throw new GatewayError('method-not-allowed', 'a mutation needs a POST request', { headers: { allow: 'POST' } });
}

async function answerOne(
  operation: ReadyOperation | InvalidOperation,
  type: ResponseType,
  asBytes: boolean,
  { operations, referenceEnvelope }: GraphqlEndpointOptions,
): Promise<Answer> {
  if ('errors' in operation) return { body: { errors: operation.errors }, status: 400, headers: {}, cookies: [] };
  const result = await operations.run(operation, referenceEnvelope && type === 'application/json', asBytes);
  const { headers, cookies } = result.http;
  if (result.bytes) return { body: result.bytes, status: 200, headers, cookies };
  const body: { data: unknown; errors?: readonly PublicError[] } = {
    ...(result.errors && { errors: result.errors }),
    data: result.data,
    ...result.beside,
  };
  return { body, status: 200, headers, cookies };
}

function send(exchange: Exchange, type: ResponseType, batch: boolean, answers: readonly Answer[]): void {
  const [only] = answers;
  if (!only) return;
  // A batch answers each operation in its place, so the response as a whole has worked.
  const status = batch || type === 'application/json' ? 200 : only.status;
  const headers: Record<string, string | readonly string[]> = { 'content-type': contentType(type) };
  if (!batch) Object.assign(headers, only.headers, only.cookies.length > 0 && { 'set-cookie': only.cookies });
  sendJson(exchange.response, status, batch ? answers.map((one) => one.body) : only.body, headers);
}

function contentType(type: ResponseType): string {
  return `${type}; charset=utf-8`;
}
