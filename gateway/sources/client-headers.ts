import type { IncomingHttpHeaders } from 'node:http';

/**
 * Headers of a client that no upstream gets, whatever is configured. docs/pass-through.md has the reason for each. They
 * describe the client's connection (RFC 9110 section 7.6.1) or the gateway's own request, or they name the origin or
 * the target of a request, which the gateway determines itself.
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

/** Families of such headers, by prefix. Claims come from the token, never from the client. */
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

/** Picks from a client's headers those that an upstream is to have. */
export type HeaderForwarding = (client: IncomingHttpHeaders) => Record<string, string>;

/**
 * Forwarding for a source with `forward_client_headers`. `x-hasura-*` headers of a client are never among those that
 * are passed on: what a caller may claim is only what the token says.
 *
 * @param ignored takes the place of Hasura's default list of headers to leave out.
 * @param own names of the headers that the upstream gets from us, in lower case: a client's header that the upstream
 * could take for one of them is left out.
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

/** Of these the forwarding makes `x-forwarded-*` headers. */
const DESCRIBED = ['host', 'user-agent', 'origin'];

/**
 * The least of a client's headers of which `forward` makes the same later: what no upstream gets is not stored.
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
 * A name as servers may read it that know headers as CGI variables, where `x_hasura_role` and `x.hasura.role` are
 * `HTTP_X_HASURA_ROLE` too.
 */
export function foldedName(name: string): string {
  return name.replace(/[^a-z0-9]/g, '-');
}

/** Headers that `Connection` names are about that connection (RFC 9110 section 7.6.1). */
function connectionOptions(connection: string | undefined): ReadonlySet<string> | undefined {
  if (connection === undefined || connection === 'keep-alive' || connection === 'close') return undefined;
  return new Set(connection.split(',').map((option) => option.trim().toLowerCase()));
}
