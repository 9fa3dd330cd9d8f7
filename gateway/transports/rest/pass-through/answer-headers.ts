import { publicLocation, type ServiceAddress } from './public-location.ts';

/** Headers of a service's answer, lower-case names, Latin-1 values. */
export type AnswerHeaders = Record<string, string | string[]>;

/**
 * Headers of a service's answer that no client gets. docs/pass-through.md has the reason for each group.
 */
const DROPPED = new Set([
  // About the connection to us, or about how the answer is framed on it.
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'via',
  // About who answers behind us.
  'server',
  'x-powered-by',
  'x-aspnet-version',
  'x-aspnetmvc-version',
  // Ours to say.
  'x-request-id',
  'x-content-type-options',
  // Said for the whole origin, of which a service has only a part.
  'alt-svc',
  'clear-site-data',
  'nel',
  'public-key-pins',
  'public-key-pins-report-only',
  'report-to',
  'service-worker-allowed',
  'strict-transport-security',
  'timing-allow-origin',
  // Orders to a web server in front of us.
  'x-lighttpd-send-file',
  'x-reproxy-url',
  'x-sendfile',
]);
const DROPPED_FAMILIES =
  /^(?:x[-_.](?:hasura|portico)[-_.]|access-control-|proxy-|x-accel-(?!buffering$)|sec-websocket-)/;
const TRANSFER_ENCODING = 'transfer-encoding';
/** They hold an address, which may be the service's own. */
const ADDRESSES = new Set(['location', 'content-location']);

export interface AnswerPolicy {
  readonly address: ServiceAddress;
  /** Whether the client's credentials went to the service, so that it may ask for them. */
  readonly mayChallenge: boolean;
  /** The request headers that identify the caller, which caches have to keep apart; empty where there is none. */
  readonly variesBy: readonly string[];
}

/**
 * Why a service's response cannot be relayed, for the log; undefined where it can be. Clients would take a 407 for that of a
 * proxy of theirs (RFC 9110 section 15.5.8). A transfer coding other than chunked stays on the body and is not told to them (RFC
 * 9112 section 7); some servers name `identity`, which is none.
 *
 * @param raw names and values in turn, as undici gives them.
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
 * The headers of a service's response that a client gets.
 *
 * @param raw names and values in turn, as undici gives them.
 * @param host what the client called us.
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
    // Header values are bytes. Node writes strings as Latin-1.
    addHeader(headers, name, (raw[at + 1] as Buffer).toString('latin1'));
  }
  // Only one of the two says how long it is (RFC 9112 section 6.3), and an answer without a body has no length.
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
  // Several, of which clients take one or another, are none.
  const shown = typeof value === 'string' ? publicLocation(value, address, host) : undefined;
  if (shown === undefined) delete headers[name];
  else headers[name] = shown;
}

/**
 * Two callers never share a response of a cache in front of the gateway, whatever the service's caching headers are.
 */
function varying(said: readonly string[], more: readonly string[]): string {
  const names = said.flatMap((value) => value.split(',')).map((name) => name.trim());
  if (names.includes('*')) return '*';
  const known = new Set(names.map((name) => name.toLowerCase()));
  return [...names.filter(Boolean), ...more.filter((name) => !known.has(name))].join(', ');
}
