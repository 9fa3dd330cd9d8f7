import { publicLocation, type ServiceAddress } from './public-location.ts';

/** The headers of a service's response. Names are in lower case, values in Latin-1. */
export type AnswerHeaders = Record<string, string | string[]>;

/** Headers of a service's response that are not passed to clients. docs/pass-through.md explains each group. */
const DROPPED = new Set([
  // They concern the connection to the gateway, or the framing of the response on it.
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'via',
  // They describe the server behind the gateway.
  'server',
  'x-powered-by',
  'x-aspnet-version',
  'x-aspnetmvc-version',
  // The gateway sets these itself.
  'x-request-id',
  'x-content-type-options',
  // They apply to the whole origin, and a service has only a part of it.
  'alt-svc',
  'clear-site-data',
  'nel',
  'public-key-pins',
  'public-key-pins-report-only',
  'report-to',
  'service-worker-allowed',
  'strict-transport-security',
  'timing-allow-origin',
  // They command a web server in front of the gateway.
  'x-lighttpd-send-file',
  'x-reproxy-url',
  'x-sendfile',
]);
const DROPPED_FAMILIES =
  /^(?:x[-_.](?:hasura|portico)[-_.]|access-control-|proxy-|x-accel-(?!buffering$)|sec-websocket-)/;
const TRANSFER_ENCODING = 'transfer-encoding';
/** They contain an address, which may be the service's internal one. */
const ADDRESSES = new Set(['location', 'content-location']);

export interface AnswerPolicy {
  readonly address: ServiceAddress;
  /** Whether the client's credentials were forwarded to the service, so that it may challenge for them. */
  readonly mayChallenge: boolean;
  /** The request headers that identify the caller, which caches must distinguish. Empty if there are none. */
  readonly variesBy: readonly string[];
}

/**
 * Returns why a service's response cannot be relayed, for the log. Undefined if it can. A client would take a 407 for a
 * response of its own proxy (RFC 9110 section 15.5.8). A transfer coding other than chunked would remain on the body without
 * the client knowing (RFC 9112 section 7). Some servers name `identity`, which is not a coding.
 *
 * @param raw alternating names and values, as undici provides them.
 */
export function headProblem(status: number, raw: readonly Buffer[]): string | undefined {
  if (status === 407 || status > 599) return `the status ${status}`;
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = raw[at] as Buffer;
    if (name.length !== TRANSFER_ENCODING.length || String(name).toLowerCase() !== TRANSFER_ENCODING) continue;
    if (!/^(?:chunked|identity)$/i.test(String(raw[at + 1]))) return 'a transfer coding other than chunked';
  }
  return undefined;
}

/**
 * Returns the headers of a service's response that are passed to the client.
 *
 * @param raw alternating names and values, as undici provides them.
 * @param host the client's name for the gateway.
 */
export function headersOfAnswer(
  status: number,
  raw: readonly Buffer[],
  policy: AnswerPolicy,
  host: string | undefined,
): AnswerHeaders {
  const headers: AnswerHeaders = Object.create(null);
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = String(raw[at]).toLowerCase();
    // Header values are bytes, and Node.js writes strings as Latin-1.
    addHeader(headers, name, (raw[at + 1] as Buffer).toString('latin1'));
  }
  // Only one of the two may give the length (RFC 9112 section 6.3), and a response without a body has no length.
  if (headers['transfer-encoding'] !== undefined || status === 204) delete headers['content-length'];
  const ofConnection = [headers.connection ?? []].flat().flatMap((value) => value.toLowerCase().split(','));
  for (const option of ofConnection) delete headers[option.trim()];
  for (const name of Object.keys(headers)) {
    const isDropped = DROPPED.has(name) || DROPPED_FAMILIES.test(name);
    if (isDropped || (name === 'www-authenticate' && !policy.mayChallenge)) delete headers[name];
    else if (ADDRESSES.has(name)) replaceAddress(headers, name, policy.address, host);
  }
  if (policy.variesBy.length > 0) headers.vary = varying([headers.vary ?? []].flat(), policy.variesBy);
  return headers;
}

function addHeader(headers: AnswerHeaders, name: string, value: string): void {
  const known = headers[name];
  if (known === undefined) headers[name] = value;
  else if (Array.isArray(known)) known.push(value);
  else headers[name] = [known, value];
}

function replaceAddress(headers: AnswerHeaders, name: string, address: ServiceAddress, host: string | undefined): void {
  const value = headers[name];
  // A repeated location is dropped, since clients differ in which one they use.
  const shown = typeof value === 'string' ? publicLocation(value, address, host) : undefined;
  if (shown === undefined) delete headers[name];
  else headers[name] = shown;
}

/** Caches in front of the gateway must not share a response between two callers, whatever the service's caching headers say. */
function varying(said: readonly string[], more: readonly string[]): string {
  const names = said.flatMap((value) => value.split(',')).map((name) => name.trim());
  if (names.includes('*')) return '*';
  const known = new Set(names.map((name) => name.toLowerCase()));
  return [...names.filter(Boolean), ...more.filter((name) => !known.has(name))].join(', ');
}
