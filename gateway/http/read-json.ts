import type { IncomingMessage } from 'node:http';
import { GatewayError } from '../errors.ts';

const JSON_TYPE = /^application\/json\s*(?:;|$)/i;
const CHARSET = /;\s*charset\s*=\s*"?([^\s";]+)/i;

/**
 * Reads a JSON body.
 *
 * @param maxBytes the largest body that is taken.
 * @returns the value, or undefined for a body of no bytes at all, which needs no content type.
 * @throws GatewayError 415 for another content type, character set or encoding, 413 for a body over the limit, 400 for
 * one that is no JSON.
 */
export async function readJson(request: IncomingMessage, maxBytes: number): Promise<unknown> {
  const { 'content-type': type, 'content-encoding': encoding, 'content-length': length } = request.headers;
  const charset = CHARSET.exec(type ?? '')?.[1]?.toLowerCase();
  if (type === undefined && (await readBody(request, maxBytes)).length === 0) return undefined;
  if (!JSON_TYPE.test(type ?? '') || (charset && charset !== 'utf-8' && charset !== 'utf8'))
    throw new GatewayError('unsupported-media-type', 'expected the content type application/json in UTF-8');
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity')
    throw new GatewayError('unsupported-media-type', 'a content encoding is not supported', {
      headers: { 'accept-encoding': 'identity' },
    });
  if (Number(length) > maxBytes) throw tooLarge(request, maxBytes);
  const body = await readBody(request, maxBytes);
  if (body.length === 0) return undefined;
  return parseJson(body);
}

function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBytes) chunks.push(chunk);
      else reject(tooLarge(request, maxBytes));
    });
    request.on('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    request.on('error', () => reject(new GatewayError('bad-request', 'the request body was cut short')));
    request.on('close', () => reject(new GatewayError('bad-request', 'the request body was cut short')));
  });
}

// What is still coming is read and thrown away, so that the client gets to see the answer; then the connection ends.
function tooLarge(request: IncomingMessage, maxBytes: number): GatewayError {
  request.removeAllListeners('data');
  request.resume();
  return new GatewayError('payload-too-large', `the request body is over the limit of ${maxBytes} bytes`, {
    headers: { connection: 'close' },
  });
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    // The parser's own message holds a piece of the body, which may be a password.
    throw new GatewayError('invalid-json', 'the request body is not valid JSON');
  }
}
