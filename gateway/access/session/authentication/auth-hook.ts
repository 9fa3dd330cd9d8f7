import type { IncomingHttpHeaders } from 'node:http';
import { type Logger, parseServiceJson, type Span } from '../../../../platform/index.ts';
import { refuseCrossSite } from '../cross-site.ts';
import { hookSessionExpired, hookUnavailable, invalidHookResponse, refusedByHook } from '../errors.ts';
import type { HttpCall } from '../http-call.ts';
import { createSession, type Session, type SessionValidity } from '../session.ts';
import {
  ROLE_VARIABLE,
  SESSION_VARIABLE_PREFIX,
  sessionVariableProblem,
  variableOfHeader,
  variableText,
} from '../session-variables.ts';
import { ADMIN_SECRET_HEADERS } from './admin-secret.ts';
import type { CallerAuthenticator } from './caller-authenticator.ts';

/** A web service that authenticates callers, as in Hasura's `HASURA_GRAPHQL_AUTH_HOOK`. */
export interface AuthHookSettings {
  readonly url: string;
  /** `GET` forwards the client's headers as headers, `POST` as JSON. */
  readonly method: 'GET' | 'POST';
  /** Whether a `POST` contains the operation to execute. */
  readonly sendRequestBody: boolean;
}

export interface AuthHookOptions extends AuthHookSettings {
  call: HttpCall;
  log: Logger;
  /** Returns whether pages of this origin may act for their users by a cookie. */
  trustsOrigin?: (origin: string) => boolean;
}

const HOOK_TIMEOUT_MS = 10_000;

/** Headers that a `GET` does not forward: those that Hasura leaves out, and those of the client's connection. */
const NOT_FORWARDED = new Set([
  'accept',
  'accept-datetime',
  'accept-encoding',
  'accept-language',
  'cache-control',
  'connection',
  'content-encoding',
  'content-length',
  'content-md5',
  'content-type',
  'dnt',
  'expect',
  'host',
  'keep-alive',
  'origin',
  'proxy-authorization',
  'proxy-connection',
  'referer',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
]);

/** Authenticates callers by calling the authentication hook for each request. Its responses are not cached. */
export class AuthHook implements CallerAuthenticator {
  readonly ready = true;
  readonly credentialHeaders = ['authorization', 'cookie'];
  readonly takesCookies = true;
  readonly #options: AuthHookOptions;
  /** A hook that does not receive operations is called once for all operations of a request. */
  readonly #calls = new WeakMap<IncomingHttpHeaders, Promise<Session>>();

  constructor(options: AuthHookOptions) {
    this.#options = options;
  }

  /** The gateway cannot recognize the hook's credentials, since they may be in any header. */
  credentialsIn(headers: IncomingHttpHeaders): 'some' | 'unknown' {
    return this.credentialHeaders.some((name) => headers[name] !== undefined) ? 'some' : 'unknown';
  }

  async authenticate(headers: IncomingHttpHeaders, operation: unknown, span: Span | undefined): Promise<Session> {
    const { method, sendRequestBody, trustsOrigin = () => false } = this.#options;
    // The hook may accept credentials that browsers add by themselves.
    if (headers.cookie !== undefined || headers.authorization !== undefined) refuseCrossSite(headers, trustsOrigin);
    if (method === 'POST' && sendRequestBody) return this.#callHook(headers, operation ?? null, span);
    const known = this.#calls.get(headers) ?? this.#callHook(headers, undefined, span);
    this.#calls.set(headers, known);
    return known;
  }

  async #callHook(headers: IncomingHttpHeaders, operation: unknown, span: Span | undefined): Promise<Session> {
    const { url, method, call, log } = this.#options;
    const base = { url, method, timeoutMs: HOOK_TIMEOUT_MS, span };
    const request =
      method === 'GET'
        ? { ...base, headers: { ...forwarded(headers), accept: 'application/json', 'user-agent': 'portico' } }
        : { ...base, ...posted(headers, operation) };
    const response = await call(request).catch((error: Error) => {
      log.warn({ event: 'auth_hook.call_failed', reason: error.message }, 'call to the authentication hook failed');
      throw hookUnavailable();
    });
    const { status } = response;
    if (status === 401) throw refusedByHook();
    if (status !== 200) {
      log.warn({ event: 'auth_hook.invalid_response', status }, 'unexpected status of the authentication hook');
      throw invalidHookResponse();
    }
    const session = readSession(response.body, [response.headers['set-cookie'] ?? []].flat(), (member) =>
      log.warn({ event: 'auth_hook.invalid_expiry', member }, 'unreadable session expiry of the authentication hook'),
    );
    if ('role' in session) return session;
    log.warn(
      { event: 'auth_hook.invalid_response', problem: session.problem },
      'invalid session of the authentication hook',
    );
    throw invalidHookResponse(session.problem);
  }
}

function forwarded(headers: IncomingHttpHeaders): Record<string, string> {
  const all: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined && !NOT_FORWARDED.has(name) && !ADMIN_SECRET_HEADERS.includes(name))
      all[name] = Array.isArray(value) ? value.join(', ') : value;
  return all;
}

function posted(headers: IncomingHttpHeaders, operation: unknown) {
  const all = Object.entries(headers)
    .filter(([name]) => !ADMIN_SECRET_HEADERS.includes(name))
    .map(([name, value]) => [name, variableOfHeader(value)]);
  const body = { headers: Object.fromEntries(all), ...(operation !== undefined && { request: operation }) };
  return {
    headers: { 'content-type': 'application/json', accept: 'application/json', 'user-agent': 'portico' },
    body: JSON.stringify(body),
  };
}

/** Reads the session from a hook's response. Returns the problem if the session is invalid. */
function readSession(
  body: string,
  cookies: readonly string[],
  onUnreadable: (member: string) => void,
): Session | { problem: string } {
  let answer: unknown;
  try {
    answer = parseServiceJson(body);
  } catch {
    return { problem: 'it is not JSON' };
  }
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer))
    return { problem: 'it is not a JSON object' };
  const members = new Map(Object.entries(answer).map(([key, value]) => [key.toLowerCase(), value]));
  const variables: Record<string, string> = Object.create(null);
  for (const [name, value] of members) {
    if (!name.startsWith(SESSION_VARIABLE_PREFIX) || value === null) continue;
    variables[name] = variableText(value);
    const problem = sessionVariableProblem(name, variables[name]);
    if (problem !== undefined) return { problem: `session variables: ${problem}` };
  }
  const role = variables[ROLE_VARIABLE];
  if (!role) return { problem: '"x-hasura-role" not found in session variables' };
  const expiresAt = hookExpiry(members, Date.now(), onUnreadable);
  const validity = expiresAt === undefined ? undefined : validUntil(expiresAt);
  return createSession(role, variables, { cookies, validity });
}

function validUntil(expiresAt: number): SessionValidity {
  return { expiresAt, refusal: () => (Date.now() >= expiresAt ? hookSessionExpired() : undefined) };
}

const MAX_AGE = /(?:^|,)\s*(?:s-maxage|max-age)\s*=\s*"?(\d{1,10})"?\s*(?:,|$)/i;
/** The only date format that Hasura accepts: `Wed, 21 Oct 2026 07:28:00 GMT`. */
const DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * Returns the expiry of an authentication hook's session, as in Hasura. It comes from members of the response body next to the
 * session variables: `Cache-Control` with a `max-age`, otherwise `Expires` with a date. Headers of the response are ignored,
 * since many servers set them for other reasons.
 *
 * @param members of the response body, by lower-case name.
 * @param now milliseconds since the epoch, like the result. The result is undefined if the session does not expire.
 * @param onUnreadable called with a member that cannot be parsed.
 */
function hookExpiry(
  members: ReadonlyMap<string, unknown>,
  now: number,
  onUnreadable: (name: string) => void,
): number | undefined {
  const control = members.get('cache-control') ?? undefined;
  const seconds = typeof control === 'string' ? MAX_AGE.exec(control)?.[1] : undefined;
  if (seconds !== undefined) return now + Number(seconds) * 1000;
  if (control !== undefined) onUnreadable('Cache-Control');
  const expires = members.get('expires') ?? undefined;
  const at = typeof expires === 'string' && DATE.test(expires) ? Date.parse(expires) : Number.NaN;
  if (!Number.isNaN(at)) return at;
  if (expires !== undefined) onUnreadable('Expires');
  return undefined;
}
