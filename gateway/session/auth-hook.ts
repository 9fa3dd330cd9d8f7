import type { IncomingHttpHeaders } from 'node:http';
import type { Logger } from '../../platform/index.ts';
import { ADMIN_SECRET_HEADERS } from './admin-secret.ts';
import type { CallerJudge } from './caller-judge.ts';
import { refuseCrossSite } from './cross-site.ts';
import { hookExpiry } from './hook-expiry.ts';
import type { HttpCall } from './http-call.ts';
import { hookUnavailable, invalidHookResponse, refusedByHook, sessionOver } from './refusals.ts';
import { createSession, type Session, type Standing } from './session.ts';
import { fitsHeader, headerText, ROLE, SESSION_VARIABLE_PREFIX, textOf } from './session-variables.ts';

/** A web service that tells who calls, as in Hasura's `HASURA_GRAPHQL_AUTH_HOOK`. */
export interface AuthHookSettings {
  readonly url: string;
  /** `GET` hands the client's headers on as headers, `POST` as JSON. */
  readonly method: 'GET' | 'POST';
  /** Whether a `POST` tells the operation that the caller wants to have run. */
  readonly sendRequestBody: boolean;
}

export interface AuthHookOptions extends AuthHookSettings {
  call: HttpCall;
  log: Logger;
  /** Whether pages of this origin may act for their users by a cookie. */
  trustsOrigin?: (origin: string) => boolean;
}

const TIMEOUT_MS = 10_000;

/** What a `GET` does not hand on: what Hasura leaves out, and what means the connection to us. */
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

/** Judges callers by what the authentication hook says of each request. Nothing that it says is remembered. */
export class AuthHook implements CallerJudge {
  readonly ready = true;
  readonly credentialHeaders = ['authorization', 'cookie'];
  readonly takesCookies = true;
  readonly #options: AuthHookOptions;
  /** Where the hook does not look at the operations of a request, it is asked once for all of them. */
  readonly #asked = new WeakMap<IncomingHttpHeaders, Promise<Session>>();

  constructor(options: AuthHookOptions) {
    this.#options = options;
  }

  /** Only the hook knows what it goes by: it may be a header of any name. */
  credentialsIn(headers: IncomingHttpHeaders): 'some' | 'unknown' {
    return this.credentialHeaders.some((name) => headers[name] !== undefined) ? 'some' : 'unknown';
  }

  async judge(headers: IncomingHttpHeaders, operation: unknown): Promise<Session> {
    const { method, sendRequestBody, trustsOrigin = () => false } = this.#options;
    // What a browser adds by itself may be what the hook goes by.
    if (headers.cookie !== undefined || headers.authorization !== undefined) refuseCrossSite(headers, trustsOrigin);
    if (method === 'POST' && sendRequestBody) return this.#ask(headers, operation ?? null);
    const asked = this.#asked.get(headers) ?? this.#ask(headers, undefined);
    this.#asked.set(headers, asked);
    return asked;
  }

  async #ask(headers: IncomingHttpHeaders, operation: unknown): Promise<Session> {
    const { url, method, call, log } = this.#options;
    const base = { url, method, timeoutMs: TIMEOUT_MS };
    const request =
      method === 'GET'
        ? { ...base, headers: { ...forwarded(headers), accept: 'application/json', 'user-agent': 'portico' } }
        : { ...base, ...posted(headers, operation) };
    const response = await call(request).catch((error: Error) => {
      log.warn({ reason: error.message }, 'the authentication hook did not answer');
      throw hookUnavailable();
    });
    const { status } = response;
    if (status === 401) throw refusedByHook();
    if (status !== 200) {
      log.warn({ status }, 'the authentication hook answered with an unexpected status');
      throw invalidHookResponse();
    }
    const session = readSession(response.body, [response.headers['set-cookie'] ?? []].flat(), (member) =>
      log.warn({ member }, 'the authentication hook says when the session ends in a way that cannot be read'),
    );
    if ('role' in session) return session;
    log.warn({ problem: session.problem }, 'the authentication hook answered with something that is no session');
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
    .map(([name, value]) => [name, headerText(value)]);
  const body = { headers: Object.fromEntries(all), ...(operation !== undefined && { request: operation }) };
  return {
    headers: { 'content-type': 'application/json', accept: 'application/json', 'user-agent': 'portico' },
    body: JSON.stringify(body),
  };
}

/** The session of a hook's answer, or what keeps it from being one. */
function readSession(
  body: string,
  cookies: readonly string[],
  onUnreadable: (member: string) => void,
): Session | { problem: string } {
  let answer: unknown;
  try {
    answer = JSON.parse(body);
  } catch {
    return { problem: 'it is not JSON' };
  }
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer))
    return { problem: 'it is not a JSON object' };
  const members = new Map(Object.entries(answer).map(([key, value]) => [key.toLowerCase(), value]));
  const variables: Record<string, string> = Object.create(null);
  for (const [name, value] of members) {
    if (!name.startsWith(SESSION_VARIABLE_PREFIX) || value === null) continue;
    variables[name] = textOf(value);
    if (!fitsHeader(name, variables[name])) return { problem: 'a session variable holds control characters' };
  }
  const role = variables[ROLE];
  if (!role) return { problem: '"x-hasura-role" not found in session variables' };
  const expiresAt = hookExpiry(members, Date.now(), onUnreadable);
  return createSession(role, variables, cookies, [], expiresAt === undefined ? undefined : standingUntil(expiresAt));
}

function standingUntil(expiresAt: number): Standing {
  return { expiresAt, refusal: () => (Date.now() >= expiresAt ? sessionOver() : undefined) };
}
