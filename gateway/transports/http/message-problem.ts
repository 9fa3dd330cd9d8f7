import type { IncomingMessage } from 'node:http';
import { repeatedHeader } from '../../../platform/index.ts';
import type { GatewayError } from '../../errors.ts';
import { ambiguousRequest, tooManyHeaders, unsupportedHttpVersion, unsupportedTransferCoding } from './errors.ts';

/** A valid `Host`: a name or an address, with an optional port. */
const HOST = /^(?:[a-z0-9._-]*|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;

/** Below the limit of `listen`, which rejects a request without a response body. */
const MAX_HEADERS = 1_000;

/**
 * Returns the problem with a request that the gateway and a service might read differently, or undefined. Node.js has already
 * rejected two lengths, a length beside a transfer coding, and invalid line endings and names. The connection of an ambiguous
 * request must not be reused.
 */
export function messageProblem(request: IncomingMessage): GatewayError | undefined {
  const { headers, httpVersion, rawHeaders, url = '' } = request;
  if (rawHeaders.length > 2 * MAX_HEADERS) return tooManyHeaders(MAX_HEADERS);
  // Node.js also accepts HTTP/0.9 and 2.0 in this form. Another server would frame such a message differently.
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return unsupportedHttpVersion();
  const encoding = headers['transfer-encoding'];
  if (encoding !== undefined) {
    // RFC 9112 section 6.1: an HTTP/1.0 server would ignore the header.
    if (httpVersion !== '1.1') return ambiguousRequest('HTTP/1.0 has no Transfer-Encoding');
    if (encoding.toLowerCase() !== 'chunked') return unsupportedTransferCoding();
  }
  // RFC 9112 section 3.2: other targets have another scheme, which proxies compare differently, or are for proxies only.
  if (!url.startsWith('/') && url !== '*') return ambiguousRequest('the request target must be a path');
  // RFC 9112 section 3.2: a target has no fragment. A server that cuts it off reads another path.
  if (url.includes('#')) return ambiguousRequest('the request target must not contain "#"');
  // RFC 9112 section 3.2: exactly one valid host is required.
  if (!HOST.test(headers.host ?? '')) return ambiguousRequest('the Host header is not valid');
  if (hasTwoHosts(rawHeaders)) return ambiguousRequest('there is more than one Host header');
  const repeated = repeatedHeader(rawHeaders);
  if (repeated) return ambiguousRequest(`the header ${repeated} is sent more than once`);
  return undefined;
}

function hasTwoHosts(rawHeaders: readonly string[]): boolean {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === 'host') count++;
  }
  return count > 1;
}
