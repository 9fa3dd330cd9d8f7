import { ERROR_STATUS, type ErrorCode, GatewayError, methodNotAllowed, resourceNotFound } from '../../errors.ts';
import { flatRefusal, type OperationPipeline, type OperationResult, type PublicError } from '../../pipeline/index.ts';
import { type HttpExchange, type ResponseHeaders, receiveJson, sendJson } from '../http/index.ts';
import { notAnObject } from './errors.ts';
import { requireOwnPage } from './own-page.ts';
import {
  cookiesToForgetElsewhere,
  cookieToForget,
  cookieToKeep,
  keptTokens,
  type SessionCookies,
} from './session-cookie.ts';

/** Only requests below this path receive the session's cookie. */
export const SESSION_PATH = 'session/';

export interface SessionEndpointOptions {
  readonly operations: OperationPipeline;
  readonly maxBodyBytes: number;
}

/** A mutation of the auth service and its arguments. */
interface AuthCall {
  readonly field: string;
  readonly query: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The result of a mutation of the auth service. */
interface AuthResult {
  readonly success: boolean;
  readonly error_message: string | null;
  readonly data?: { readonly access_token: string; readonly expires_in: number; readonly refresh_token: string } | null;
}

type AuthAnswer = { readonly status: number; readonly headers: ResponseHeaders } & (
  | { readonly result: AuthResult }
  | { readonly error: PublicError }
);

const TOKENS = 'success error_message data { access_token expires_in refresh_token }';

const loginCall = (data: AuthCall['data']): AuthCall => ({
  field: 'auth_user_login',
  query: `mutation auth_user_login($data: AuthUserLoginInput!) { auth_user_login(data: $data) { ${TOKENS} } }`,
  data,
});

const refreshCall = (refreshToken: string): AuthCall => ({
  field: 'auth_token_refresh',
  query: `mutation auth_token_refresh($data: AuthTokenRefreshInput!) { auth_token_refresh(data: $data) { ${TOKENS} } }`,
  data: { refresh_token: refreshToken },
});

/** @param refreshToken of the session to end. Without one, the mutation ends the session of the bearer token. */
const logoutCall = (refreshToken: string | undefined): AuthCall => ({
  field: 'auth_user_logout',
  query:
    'mutation auth_user_logout($data: AuthUserLogoutInput) { auth_user_logout(data: $data) { success error_message } }',
  data: refreshToken === undefined ? {} : { refresh_token: refreshToken },
});

const NO_SESSION: AuthAnswer = {
  status: 401,
  headers: {},
  result: { success: false, error_message: 'There is no session to continue' },
};

/**
 * Handles `POST /console/session/login`, `refresh` and `logout`. Each runs a mutation of the auth service as the public role,
 * and responds like its REST endpoint: with `success`, `error_message` and `data`, and with the same status. The refresh token
 * is never in a response body, only in a cookie.
 *
 * @throws GatewayError 403 if the request does not come from a page of this origin.
 */
export function sessionEndpoint(options: SessionEndpointOptions) {
  return async (exchange: HttpExchange, action: string, cookies: SessionCookies): Promise<void> => {
    const { request } = exchange;
    const handle = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined;
    if (!handle) throw resourceNotFound();
    if (request.method !== 'POST') throw methodNotAllowed('POST');
    const origin = requireOwnPage(request);
    const body = await receiveJson(exchange, options.maxBodyBytes);
    if (typeof body !== 'object' || body === null || Array.isArray(body)) throw notAnObject();
    const kept = keptTokens(cookies, origin);
    const given: SessionRequest = { body: body as AuthCall['data'], kept, exchange, operations: options.operations };
    const { answer, cookie } = await handle(given, origin);
    // The session's own cookie comes last: behind a proxy its path may be one of the removed ones.
    const others = cookie !== undefined && kept.length > 1 ? cookiesToForgetElsewhere(origin, exchange.path) : [];
    send(exchange, answer, cookie === undefined ? others : [...others, cookie]);
  };
}

interface SessionRequest {
  readonly body: AuthCall['data'];
  /** Tokens that may be the refresh token of the page's session. If there is one, it is among them. */
  readonly kept: readonly string[];
  readonly exchange: HttpExchange;
  readonly operations: OperationPipeline;
}

/** @param cookie the `Set-Cookie` of the session's own cookie. */
type Action = (
  given: SessionRequest,
  origin: URL,
) => Promise<{ readonly answer: AuthAnswer; readonly cookie: string | undefined }>;

const ACTIONS: Readonly<Record<string, Action>> = {
  login: async (given, origin) => {
    const { username, password, tenant_id } = given.body;
    const answer = await runAuthCall(loginCall({ username, password, tenant_id }), given);
    const cookie = tokenCookie(answer, origin);
    // The login has succeeded even if the replaced session cannot be ended, since that session may be over already.
    if (cookie !== undefined) await endReplaced(given.kept, given);
    return { answer, cookie };
  },

  refresh: async (given, origin) => {
    const { answer, next } = await refreshKept(given);
    if (next !== undefined) return { answer, cookie: cookieToKeep(next, origin) };
    // After any other failure the token is still valid.
    const isOver = given.kept.length > 0 && isRefused(answer);
    return { answer, cookie: isOver ? cookieToForget(origin) : undefined };
  },

  logout: async (given, origin) => {
    const { headers } = given.exchange.request;
    const { authorization } = headers;
    let answer: AuthAnswer | undefined;
    for (const token of given.kept) {
      const ended = await endKept(token, given);
      if (answer === undefined || !isRefused(ended)) answer = ended;
    }
    // If the cookie's session is over, the logout ends the session of the bearer token.
    if (answer === undefined || (isRefused(answer) && authorization !== undefined)) {
      if (authorization !== undefined) headers.authorization = authorization;
      answer = await runAuthCall(logoutCall(undefined), given);
    }
    return { answer, cookie: cookieToForget(origin) };
  },
};

/**
 * Tries each token that may be the session's. A page of another port or a sibling domain can plant a cookie, but not one that
 * continues the session that the page names. If there are several tokens, the session of a token that continues another session
 * is considered planted and ended. A single token is kept: another tab may have logged in without this page knowing yet.
 *
 * @returns `next`: the refresh token for the cookie.
 */
async function refreshKept(
  given: SessionRequest,
): Promise<{ readonly answer: AuthAnswer; readonly next?: string | undefined }> {
  let refused = NO_SESSION;
  for (const token of given.kept) {
    const answer = await runAuthCall(refreshCall(token), given);
    const next = refreshTokenOf(answer);
    if (isRefused(answer)) refused = answer;
    else if (isOfSession(answer, given.body.session)) return { answer, next };
    else if (given.kept.length === 1) return { answer: NO_SESSION, next };
    else await endReplaced([next ?? token], given);
  }
  return { answer: refused };
}

/**
 * Returns whether the result may belong to the session that a page names. Tokens of other issuers may not name their session.
 */
function isOfSession(answer: AuthAnswer, session: unknown): boolean {
  const accessToken = 'result' in answer ? answer.result.data?.access_token : undefined;
  if (typeof session !== 'string' || accessToken === undefined) return true;
  const id = sessionIdOf(accessToken);
  return id === undefined || id === session;
}

/** Returns `sid` of an access token that the auth service has just issued. */
function sessionIdOf(accessToken: string): unknown {
  try {
    const claims: unknown = JSON.parse(Buffer.from(accessToken.split('.')[1] ?? '', 'base64url').toString('utf8'));
    return typeof claims === 'object' && claims !== null && 'sid' in claims ? claims.sid : undefined;
  } catch {
    return undefined;
  }
}

/** Returns whether the auth service rejected the token. Other failures do not count. */
function isRefused(answer: AuthAnswer): boolean {
  return 'result' in answer && answer.status === 401;
}

/** Ends replaced sessions as far as this is possible now. */
async function endReplaced(tokens: readonly string[], given: SessionRequest): Promise<void> {
  for (const token of tokens)
    await endKept(token, given).catch((error: unknown) => {
      if (!(error instanceof GatewayError)) throw error;
    });
}

/** Ends the session of a cookie without the bearer token: the auth service would reject another user's token. */
function endKept(token: string, given: SessionRequest): Promise<AuthAnswer> {
  delete given.exchange.request.headers.authorization;
  return runAuthCall(logoutCall(token), given);
}

function refreshTokenOf(answer: AuthAnswer): string | undefined {
  return 'result' in answer ? answer.result.data?.refresh_token : undefined;
}

/** Returns the `Set-Cookie` with the refresh token of a result. */
function tokenCookie(answer: AuthAnswer, origin: URL): string | undefined {
  const token = refreshTokenOf(answer);
  return token === undefined ? undefined : cookieToKeep(token, origin);
}

/** @throws GatewayError if the gateway rejects the mutation, as in a graph without an auth service. */
async function runAuthCall(call: AuthCall, { exchange, operations }: SessionRequest): Promise<AuthAnswer> {
  const request = { query: call.query, variables: { data: call.data }, operationName: call.field };
  const prepared = await operations.prepare(request, exchange, { isSaved: true });
  if (prepared.kind === 'rejected') throw flatRefusal(prepared, '$');
  const { data, errors, http } = await new Promise<OperationResult>((resolve) =>
    operations.execute(prepared, { withEnvelope: false, asBytes: false }, resolve),
  );
  const [error] = errors ?? [];
  const headers = { ...http.headers, ...(http.cookies.length > 0 && { 'set-cookie': http.cookies }) };
  if (error) return { status: http.status ?? httpStatusOf(error), headers, error };
  return { status: http.status ?? 200, headers, result: data?.[call.field] as AuthResult };
}

function httpStatusOf({ extensions: { code } }: PublicError): number {
  return Object.hasOwn(ERROR_STATUS, String(code)) ? ERROR_STATUS[code as ErrorCode] : 502;
}

function send(exchange: HttpExchange, answer: AuthAnswer, own: readonly string[]): void {
  const { status, headers } = answer;
  const cookies = [headers['set-cookie'] ?? [], ...own].flat();
  const all = { ...headers, ...(cookies.length > 0 && { 'set-cookie': cookies }) };
  if ('error' in answer) {
    const { message, extensions } = answer.error;
    sendJson(exchange, status, { path: '$', error: message, code: String(extensions.code ?? 'unexpected') }, all);
    return;
  }
  const { success, error_message, data } = answer.result;
  const shown = data ? { access_token: data.access_token, expires_in: data.expires_in } : null;
  sendJson(exchange, status, { success, error_message, data: shown }, all);
}
