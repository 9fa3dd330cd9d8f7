import type { IncomingHttpHeaders } from 'node:http';

/** They mean the connection to us (RFC 9110 section 7.6.1) or our own request, never the one to the upstream. */
const CONNECTION_HEADERS = [
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  // Where a request comes from is what we saw, not what it says.
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
];

/** What Hasura does not forward unless an action lists its own `ignored_client_headers`. */
const IGNORED_BY_DEFAULT = [
  'accept',
  'accept-datetime',
  'accept-encoding',
  'accept-language',
  'cache-control',
  'content-md5',
  'content-type',
  'dnt',
  'origin',
  'referer',
  'user-agent',
];

/** Picks from a client's headers those that an upstream is to have. */
export type HeaderForwarding = (client: IncomingHttpHeaders) => Record<string, string>;

/**
 * Forwarding for a source with `forward_client_headers`. `x-hasura-*` headers of a client are never among those that
 * are passed on: what a caller may claim is only what the token says.
 *
 * @param ignored takes the place of Hasura's default list of headers to leave out.
 */
export function clientHeaderForwarding(ignored: readonly string[] = IGNORED_BY_DEFAULT): HeaderForwarding {
  const left = new Set([...CONNECTION_HEADERS, ...ignored.map((name) => name.toLowerCase())]);
  return (client) => {
    const headers: Record<string, string> = {};
    for (const [name, value] of Object.entries(client)) {
      if (value === undefined || left.has(name) || isClaim(name)) continue;
      headers[name] = Array.isArray(value) ? value.join(', ') : value;
    }
    if (client.host) headers['x-forwarded-host'] = client.host;
    if (client['user-agent']) headers['x-forwarded-user-agent'] = client['user-agent'];
    if (client.origin) headers['x-forwarded-origin'] = client.origin;
    return headers;
  };
}

/** Many servers take `x_hasura_role` for `x-hasura-role`, because the names of CGI variables know no dash. */
function isClaim(name: string): boolean {
  return name.replaceAll('_', '-').startsWith('x-hasura-');
}
