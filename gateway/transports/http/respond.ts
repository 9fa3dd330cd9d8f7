import { validateHeaderValue } from 'node:http';
import { REQUEST_ID_HEADER } from '../../../platform/index.ts';
import type { GatewayError } from '../../errors.ts';
import { preferredCoding } from './content-coding.ts';
import type { HttpExchange } from './http-exchange.ts';
import { endResponse, MAX_COPIED } from './response-batcher.ts';

export type ResponseHeaders = Readonly<Record<string, string | readonly string[]>>;

/** A pending response and its request. */
type Respondent = Pick<HttpExchange, 'response'> &
  Partial<Pick<HttpExchange, 'requestId' | 'watchReading' | 'batcher' | 'record'>>;

const JSON_UTF8 = 'application/json; charset=utf-8';

/** Sets the headers that every response has, for responses that `sendJson` does not send. */
export function setOwnHeaders({ response, requestId }: Pick<HttpExchange, 'response' | 'requestId'>): void {
  response.setHeader(REQUEST_ID_HEADER, requestId);
  response.setHeader('x-content-type-options', 'nosniff');
}

/** Sends a JSON body, which is a value or its bytes in chunks, and ends the response. */
export function sendJson(
  exchange: Respondent,
  status: number,
  body: unknown,
  headers?: ResponseHeaders,
  contentType = JSON_UTF8,
): void {
  const chunks = bodyChunks(body);
  sendChunks(exchange, { status, chunks, length: byteLength(chunks), contentType, headers });
}

/**
 * Sends a JSON body like `sendJson`, compressed if it is long and the client accepts that. The body must contain no secret: the
 * length of compressed content reveals whether it repeats input of a caller (BREACH).
 *
 * @param isKept whether the chunks are sent repeatedly as the same object. If so, they are compressed once.
 */
export function sendCompressible(
  exchange: HttpExchange,
  status: number,
  body: unknown,
  headers?: ResponseHeaders,
  contentType = JSON_UTF8,
  isKept = false,
): void {
  const chunks = bodyChunks(body);
  const answer: WireResponse = { status, chunks, length: byteLength(chunks), contentType, headers };
  const { compressor, response } = exchange;
  if (!compressor || answer.length < compressor.minBytes || mayNotBeTransformed(headers)) {
    sendChunks(exchange, answer);
    return;
  }
  const vary: ResponseHeaders = {
    ...headers,
    vary: [response.getHeader('vary'), 'Accept-Encoding'].flat().filter(Boolean).join(', '),
  };
  // An invalid header has to throw here: nothing catches the error once the body is compressed.
  for (const name in vary) for (const value of [vary[name] ?? []].flat()) validateHeaderValue(name, value);
  const uncompressed: WireResponse = { ...answer, headers: vary };
  const coding = preferredCoding(exchange.request.headers['accept-encoding']);
  if (!coding) {
    sendChunks(exchange, uncompressed);
    return;
  }
  const done = (compressed: readonly Buffer[] | undefined) => {
    const length = compressed ? byteLength(compressed) : answer.length;
    if (!compressed || length >= answer.length) sendChunks(exchange, uncompressed);
    else {
      const coded = { ...vary, 'content-encoding': coding };
      sendChunks(exchange, { ...answer, chunks: compressed, length, headers: coded });
    }
  };
  if (isKept) compressor.compressKept(chunks, coding, done);
  else compressor.compress(chunks, coding, () => !response.destroyed, done);
}

/** Returns whether `no-transform` forbids compression (RFC 9111 section 5.2.2.6). */
function mayNotBeTransformed(headers: ResponseHeaders | undefined): boolean {
  return /no-transform/i.test(String(headers?.['cache-control'] ?? ''));
}

function byteLength(chunks: readonly Buffer[]): number {
  let length = 0;
  for (const chunk of chunks) length += chunk.length;
  return length;
}

/** A response as it is written to the connection. */
interface WireResponse {
  readonly status: number;
  readonly chunks: readonly Buffer[];
  readonly length: number;
  readonly contentType: string;
  readonly headers: ResponseHeaders | undefined;
}

function sendChunks(exchange: Respondent, { status, chunks, length, contentType, headers }: WireResponse): void {
  const { response, requestId } = exchange;
  if (response.headersSent || response.destroyed) return;
  // Alternating names and values, which Node.js writes unchanged.
  const all: (string | readonly string[])[] = [
    'content-type',
    contentType,
    'content-length',
    String(length),
    'cache-control',
    'no-store',
    'x-content-type-options',
    'nosniff',
  ];
  if (requestId !== undefined) all.push(REQUEST_ID_HEADER, requestId);
  for (const name in headers) {
    const value = headers[name];
    if (value === undefined) continue;
    const known = headerIndex(name, all);
    if (known < 0) all.push(name, value);
    else all[known + 1] = value;
  }
  response.writeHead(status, all as string[]);
  // A long response is kept in memory until the client has read it.
  if (length > MAX_COPIED) exchange.watchReading?.();
  if (exchange.batcher) exchange.batcher.add({ response, chunks });
  else endResponse({ response, chunks });
}

/** Returns the bytes of a JSON body, serialized if it is a value. */
export function bodyChunks(body: unknown): readonly Buffer[] {
  if (Buffer.isBuffer(body)) return [body];
  if (Array.isArray(body) && body.length > 0 && body.every((chunk) => Buffer.isBuffer(chunk))) return body;
  return [Buffer.from(JSON.stringify(body), 'utf8')];
}

/**
 * Returns the index of a header in alternating names and values. A value may look like a name: a client chooses its request id.
 */
function headerIndex(name: string, all: readonly (string | readonly string[])[]): number {
  for (let at = 0; at < all.length; at += 2) if (all[at] === name) return at;
  return -1;
}

/** Sends Hasura's flat error body, which every endpoint but the GraphQL one uses. */
export function sendFlatError(exchange: Respondent, error: GatewayError): void {
  exchange.record?.addError(error.code);
  sendJson(exchange, error.status, { path: error.path, error: error.message, code: error.code }, error.headers);
}
