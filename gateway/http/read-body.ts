import type { IncomingMessage } from 'node:http';
import type { Transform } from 'node:stream';
import { Chunks } from '../../platform/index.ts';
import { GatewayError } from '../errors.ts';
import { ACCEPTED_CODINGS, codingOfBody, decoderOf } from './content-coding.ts';
import type { Exchange } from './exchange.ts';

/** Where a body is read from. Without a compressor, compressed bodies are refused as well. */
export type BodySource = Pick<Exchange, 'request'> & Partial<Pick<Exchange, 'compressor'>>;

/** Gets a request's body, or why there is none. Called once. */
export type BodyReader = (refusal: GatewayError | undefined, body: Buffer) => void;

/**
 * A body that expands to more bytes than these may be no more than so many times as long as it was sent. Requests for
 * GraphQL are compressed to a tenth; a bomb that is small on the wire would have us parse as much as the limit allows.
 */
const FREE_BYTES = 65_536;
const MAX_RATIO = 100;

const NO_BYTES = Buffer.alloc(0);

/**
 * Reads a request's body, decompressed: gzip, deflate, br, and zstd where Node has it. The limit counts decompressed
 * bytes. The refusal is 415 for another coding, 413 for a body over the limit, 400 for one that cannot be decompressed.
 */
export function readBody(source: BodySource, maxBytes: number, done: BodyReader): void {
  const { request, compressor } = source;
  const { headers } = request;
  const coding = codingOfBody(headers['content-encoding']);
  if (coding === undefined || (coding !== 'identity' && !compressor))
    done(unsupportedCoding(compressor !== undefined), NO_BYTES);
  else if (Number(headers['content-length']) > maxBytes) done(tooLarge(source, maxBytes), NO_BYTES);
  else if (coding === 'identity') readPlain(source, maxBytes, done);
  else readCompressed(source, decoderOf(coding), maxBytes, done);
}

function readPlain(source: BodySource, maxBytes: number, done: BodyReader): void {
  const { request } = source;
  const chunks = new Chunks();
  let isOver = false;
  request.on('data', (chunk: Buffer) => {
    if (chunks.size + chunk.length <= maxBytes) chunks.add(chunk);
    else {
      isOver = true;
      done(tooLarge(source, maxBytes), NO_BYTES);
    }
  });
  request.on('end', () => {
    if (isOver) return;
    isOver = true;
    done(undefined, chunks.toBuffer());
  });
  request.on('close', () => {
    if (!isOver) done(cutShort(), NO_BYTES);
  });
}

/** Reads no faster than it is decompressed, in a thread. */
function readCompressed(source: BodySource, decoder: Transform, maxBytes: number, done: BodyReader): void {
  const { request } = source;
  const chunks = new Chunks();
  let sent = 0;
  let isOver = false;
  const finish = (refusal: GatewayError | undefined, body: Buffer = NO_BYTES) => {
    if (isOver) return;
    isOver = true;
    if (refusal) decoder.destroy();
    done(refusal, body);
  };
  const refuse = (refuseWith: (source: BodySource) => GatewayError) => {
    if (!isOver) finish(refuseWith(source));
  };
  request.on('data', (chunk: Buffer) => {
    sent += chunk.length;
    if (sent > maxBytes) refuse((from) => tooLarge(from, maxBytes));
    else if (!decoder.write(chunk)) {
      request.pause();
      decoder.once('drain', () => request.resume());
    }
  });
  request.on('end', () => {
    if (!isOver) decoder.end();
  });
  request.on('close', () => {
    if (!request.complete) finish(cutShort());
  });
  decoder.on('data', (chunk: Buffer) => {
    const size = chunks.size + chunk.length;
    if (size > maxBytes) refuse((from) => tooLarge(from, maxBytes));
    else if (size > FREE_BYTES && size > MAX_RATIO * sent) refuse(expandsTooMuch);
    else chunks.add(chunk);
  });
  decoder.once('end', () => finish(undefined, chunks.toBuffer()));
  decoder.on('error', () => refuse(broken));
}

/** Refuses a compressed body where none is taken. @throws GatewayError 415. */
export function refuseCompressed({ headers }: IncomingMessage): void {
  if (codingOfBody(headers['content-encoding']) !== 'identity') throw unsupportedCoding(false);
}

function unsupportedCoding(takesSome: boolean): GatewayError {
  const accepted = takesSome ? ACCEPTED_CODINGS : 'identity';
  return new GatewayError('unsupported-media-type', `the content encoding is not supported; expected ${accepted}`, {
    headers: { 'accept-encoding': accepted },
  });
}

function cutShort(): GatewayError {
  return new GatewayError('bad-request', 'the request body was cut short');
}

function broken(source: BodySource): GatewayError {
  discardRest(source);
  return new GatewayError('bad-request', 'the request body is not what its Content-Encoding says', {
    headers: { connection: 'close' },
  });
}

function tooLarge(source: BodySource, maxBytes: number): GatewayError {
  discardRest(source);
  return new GatewayError('payload-too-large', `the request body is over the limit of ${maxBytes} bytes`, {
    headers: { connection: 'close' },
  });
}

function expandsTooMuch(source: BodySource): GatewayError {
  discardRest(source);
  return new GatewayError('payload-too-large', `the request body expands to more than ${MAX_RATIO} times its size`, {
    headers: { connection: 'close' },
  });
}

/** What is still coming is read and thrown away, so that the client can read the answer; then the connection ends. */
function discardRest({ request }: BodySource): void {
  request.removeAllListeners('data');
  request.resume();
}
