import { GatewayError } from '../../errors.ts';

/** A body in an unsupported content coding, 415. @param accepted the supported codings, as in `Accept-Encoding`. */
export function unsupportedContentCoding(accepted: string): GatewayError {
  return new GatewayError('unsupported-media-type', `the content encoding is not supported; expected ${accepted}`, {
    headers: { 'accept-encoding': accepted },
  });
}

/** A content type other than JSON, 415. */
export function notJson(): GatewayError {
  return new GatewayError('unsupported-media-type', 'expected the content type application/json in UTF-8');
}

/** Text that is not JSON. The parser's own message would repeat a part of it, which may be a password. */
export function invalidJson(what: string): GatewayError {
  return new GatewayError('invalid-json', `${what} is not valid JSON`);
}

/** JSON that is nested too deeply. @param what names the text, such as `the request body`. @param most levels. */
export function jsonTooDeep(what: string, most: number): GatewayError {
  return new GatewayError('parse-failed', `${what} is nested more than ${most} levels deep`);
}

/** A body that ended before its length. */
export function bodyCutShort(): GatewayError {
  return new GatewayError('bad-request', 'the request body is incomplete');
}

/** A body that cannot be decompressed. */
export function bodyNotDecodable(): GatewayError {
  return new GatewayError('bad-request', 'the request body does not match its Content-Encoding');
}

/** A body that exceeds the size limit, 413. The connection is closed after the response. */
export function bodyTooLarge(maxBytes: number): GatewayError {
  return new GatewayError('payload-too-large', `the request body exceeds the limit of ${maxBytes} bytes`, {
    headers: { connection: 'close' },
  });
}

/** A body that expands like a decompression bomb, 413. */
export function bodyExpandsTooMuch(maxRatio: number): GatewayError {
  return new GatewayError('payload-too-large', `the request body expands to more than ${maxRatio} times its size`);
}

/** The queue for decompression is full, 503. @param headers of the response in addition to `Retry-After`. */
export function tooManyCompressedBodies(headers?: Readonly<Record<string, string>>): GatewayError {
  return new GatewayError('service-unavailable', 'too many compressed request bodies are waiting', {
    headers: { 'retry-after': '1', ...headers },
  });
}

/** An `Accept` header that is longer than any client needs, 431. */
export function acceptTooLong(most: number): GatewayError {
  return new GatewayError('headers-too-large', `the header Accept has more than ${most} characters`);
}

/** More headers than any client needs, 431. */
export function tooManyHeaders(most: number): GatewayError {
  return new GatewayError('headers-too-large', `the request has more than ${most} headers`);
}

/** A transfer coding other than chunked, 501 (RFC 9112 section 6.1). */
export function unsupportedTransferCoding(): GatewayError {
  return new GatewayError('not-supported', 'the only supported transfer coding is "chunked"', { status: 501 });
}

/** A version of HTTP with another message format, 505 (RFC 9110 section 15.6.6). */
export function unsupportedHttpVersion(): GatewayError {
  return new GatewayError('not-supported', 'the supported HTTP versions are 1.0 and 1.1', { status: 505 });
}

/** A request that a service could read differently from the gateway. @param message names the ambiguity. */
export function ambiguousRequest(message: string): GatewayError {
  return new GatewayError('bad-request', message);
}

/** An invalid WebSocket handshake (RFC 6455 section 4.2.1). @param expected the missing part. */
export function invalidHandshake(expected: string): GatewayError {
  return new GatewayError('bad-request', `a WebSocket handshake requires ${expected}`);
}

/** A version of the WebSocket protocol other than 13, 426 (RFC 6455 section 4.4). */
export function unsupportedWebSocketVersion(): GatewayError {
  return new GatewayError('bad-request', 'expected Sec-WebSocket-Version: 13', {
    status: 426,
    headers: { upgrade: 'websocket', 'sec-websocket-version': '13' },
  });
}
