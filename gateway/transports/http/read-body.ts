import type { IncomingMessage } from 'node:http';
import { Chunks } from '../../../platform/index.ts';
import type { GatewayError } from '../../errors.ts';
import { ACCEPTED_CODINGS, type ContentCoding, codingOfBody } from './content-coding.ts';
import {
  bodyCutShort,
  bodyExpandsTooMuch,
  bodyNotDecodable,
  bodyTooLarge,
  tooManyCompressedBodies,
  unsupportedContentCoding,
} from './errors.ts';
import type { HttpExchange } from './http-exchange.ts';

/** The source of a body. Without a compressor, compressed bodies are rejected. */
export type BodySource = Pick<HttpExchange, 'request'> & Partial<Pick<HttpExchange, 'compressor' | 'onClose'>>;

/** Called once with a request's body or the reason for its rejection. */
export type BodyReader = (refusal: GatewayError | undefined, body: Buffer) => void;

/**
 * A body beyond this size may expand to at most this many times the size that was sent. GraphQL requests compress to about a
 * tenth. A small decompression bomb could otherwise make the gateway parse as much as the limit allows.
 */
const FREE_BYTES = 65_536;
const MAX_RATIO = 100;

const NO_BYTES = Buffer.alloc(0);
const IDENTITY = 'identity';

/**
 * Reads a request's body and decompresses it: gzip, deflate, br, and zstd if Node.js supports it. The limit counts decompressed
 * bytes. Rejections are 415 for another coding, 413 for a body over the limit, 400 for a body that cannot be decompressed, and
 * 503 if too many compressed bodies wait.
 */
export function readBody(source: BodySource, maxBytes: number, done: BodyReader): void {
  const { request, compressor } = source;
  const { headers } = request;
  const coding = codingOfBody(headers['content-encoding']);
  if (coding === undefined || (coding !== IDENTITY && !compressor))
    done(unsupportedContentCoding(compressor ? ACCEPTED_CODINGS : IDENTITY), NO_BYTES);
  else if (Number(headers['content-length']) > maxBytes) done(refuseTooLarge(source, maxBytes), NO_BYTES);
  else if (coding === IDENTITY) readPlain(source, maxBytes, done);
  else readCompressed(source, coding, maxBytes, done);
}

/** Reads a body and returns it as a promise. */
export function receiveBody(source: BodySource, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) =>
    readBody(source, maxBytes, (refusal, body) => (refusal ? reject(refusal) : resolve(body))),
  );
}

function readCompressed(source: BodySource, coding: ContentCoding, maxBytes: number, done: BodyReader): void {
  const release = source.compressor?.admit(source.request.socket);
  if (!release) {
    discardRest(source);
    done(tooManyCompressedBodies({ connection: 'close' }), NO_BYTES);
    return;
  }
  source.onClose?.(release);
  readPlain(source, maxBytes, (refusal, body) => {
    if (refusal || body.length === 0) done(refusal, body);
    else decompress(source, coding, maxBytes, body, done);
  });
}

function readPlain(source: BodySource, maxBytes: number, done: BodyReader): void {
  const { request } = source;
  let chunks = new Chunks();
  let isOver = false;
  request.on('data', (chunk: Buffer) => {
    if (chunks.size + chunk.length <= maxBytes) chunks.add(chunk);
    else {
      isOver = true;
      done(refuseTooLarge(source, maxBytes), NO_BYTES);
    }
  });
  request.on('end', () => {
    if (isOver) return;
    isOver = true;
    const body = chunks.toBuffer();
    // The request keeps its listeners, and through them the chunks, until it is answered.
    chunks = new Chunks();
    done(undefined, body);
  });
  request.on('close', () => {
    if (!isOver) done(bodyCutShort(), NO_BYTES);
  });
}

function decompress(source: BodySource, coding: ContentCoding, maxBytes: number, body: Buffer, done: BodyReader): void {
  const { request, compressor } = source;
  const mostExpanded = Math.max(FREE_BYTES, MAX_RATIO * body.length);
  const isWanted = () => !request.socket.destroyed;
  compressor?.decompress(body, coding, Math.min(maxBytes, mostExpanded), isWanted, (decoded) => {
    if ('content' in decoded) done(undefined, decoded.content);
    else if (decoded.problem === 'broken') done(bodyNotDecodable(), NO_BYTES);
    else if (decoded.problem === 'overloaded') done(tooManyCompressedBodies(), NO_BYTES);
    else done(mostExpanded < maxBytes ? bodyExpandsTooMuch(MAX_RATIO) : refuseTooLarge(source, maxBytes), NO_BYTES);
  });
}

/** Rejects compressed bodies where they are not accepted. @throws GatewayError 415. */
export function refuseCompressed({ headers }: IncomingMessage): void {
  if (codingOfBody(headers['content-encoding']) !== IDENTITY) throw unsupportedContentCoding(IDENTITY);
}

/** Rejects a body over the limit. The rest of the body is read and dropped. */
function refuseTooLarge(source: BodySource, maxBytes: number): GatewayError {
  discardRest(source);
  return bodyTooLarge(maxBytes);
}

/** Reads and drops the rest of a body, so that the client can read the response. Then the connection ends. */
function discardRest({ request }: BodySource): void {
  request.removeAllListeners('data');
  request.resume();
}
