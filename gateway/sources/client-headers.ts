import type { IncomingHttpHeaders } from 'node:http';

/**
 * Client headers that are never forwarded, whatever is configured. docs/pass-through.md gives the reason for each
 * header. Some describe the client's connection (RFC 9110 section 7.6.1) or the gateway's own request. Others name the
 * origin or the target of a request, which the gateway determines itself.
 */
const NEVER_FORWARDED = [
  'alt-used',
  'cf-connecting-ip',
  'cf-connecting-ipv6',
  'connection',
  'content-length',
  'expect',
  'fastly-client-ip',
  'fly-client-ip',
  'forwarded',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy',
  'te',
  'trailer',
  'transfer-encoding',
  'true-client-ip',
  'upgrade',
  'via',
  'x-azure-clientip',
  'x-azure-socketip',
  'x-client-ip',
  'x-cluster-client-ip',
  'x-envoy-external-address',
  'x-forwarded',
  'x-original-forwarded-for',
  'x-original-host',
  'x-original-url',
  'x-real-ip',
  'x-request-id',
  'x-rewrite-url',
];

/** Prefixes of further headers that are never forwarded. Claims come from the token, never from the client. */
const NEVER_FORWARDED_FAMILIES = /^(?:x-hasura-|x-portico-|x-forwarded-|proxy-|sec-websocket-)/;

/** Client headers that Hasura does not forward, unless an action lists its own `ignored_client_headers`. */
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

/** Selects the client headers that are forwarded to an upstream. */
export type HeaderForwarding = (client: IncomingHttpHeaders) => Record<string, string>;

/**
 * Creates the forwarding for a source with `forward_client_headers`. A client's `x-hasura-*` headers are never passed
 * on, since only the token may contain claims.
 *
 * @param ignored replaces Hasura's default list of headers that are not forwarded.
 * @param own lower-case names of headers that the gateway sends itself. Client headers that the upstream could mistake
 *   for one of these are not forwarded.
 */
export function clientHeaderForwarding(
  ignored: readonly string[] = IGNORED_BY_DEFAULT,
  own: readonly string[] = [],
): HeaderForwarding {
  const left = new Set([...NEVER_FORWARDED, ...ignored.map((name) => name.toLowerCase()), ...own]);
  const reserved = new Set([...left, ...own]);
  const isLeft = (name: string) => {
    if (left.has(name) || NEVER_FORWARDED_FAMILIES.test(name)) return true;
    if (!IS_FOLDED.test(name)) return false;
    const folded = foldedName(name);
    return reserved.has(folded) || NEVER_FORWARDED_FAMILIES.test(folded);
  };
  return (client) => {
    const headers: Record<string, string> = {};
    const ofConnection = connectionOptions(client.connection);
    for (const [name, value] of Object.entries(client)) {
      if (value === undefined || isLeft(name) || ofConnection?.has(name)) continue;
      headers[name] = Array.isArray(value) ? value.join(', ') : value;
    }
    if (client.host) headers['x-forwarded-host'] = client.host;
    if (client['user-agent']) headers['x-forwarded-user-agent'] = client['user-agent'];
    if (client.origin) headers['x-forwarded-origin'] = client.origin;
    return headers;
  };
}

/** Headers from which the forwarding derives `x-forwarded-*` headers. */
const DESCRIBED = ['host', 'user-agent', 'origin'];

/**
 * Selects the client headers from which `forward` later produces the same result. Other headers are not stored.
 *
 * @param credentials folded names of headers that are not stored either.
 */
export function headersToStore(
  forward: HeaderForwarding,
  client: IncomingHttpHeaders,
  credentials: ReadonlySet<string>,
): IncomingHttpHeaders {
  const stored: IncomingHttpHeaders = {};
  for (const name of [...Object.keys(forward(client)), ...DESCRIBED]) {
    const value = client[name];
    if (value === undefined || NEVER_FORWARDED_FAMILIES.test(name) || credentials.has(foldedName(name))) continue;
    stored[name] = value;
  }
  return stored;
}

const IS_FOLDED = /[^a-z0-9-]/;

/**
 * Folds a header name as servers do that treat headers as CGI variables: `x_hasura_role` and `x.hasura.role` both
 * become `HTTP_X_HASURA_ROLE`.
 */
export function foldedName(name: string): string {
  return name.replace(/[^a-z0-9]/g, '-');
}

/** The headers that `Connection` names, which describe the connection only (RFC 9110 section 7.6.1). */
function connectionOptions(connection: string | undefined): ReadonlySet<string> | undefined {
  if (connection === undefined || connection === 'keep-alive' || connection === 'close') return undefined;
  return new Set(connection.split(',').map((option) => option.trim().toLowerCase()));
}
