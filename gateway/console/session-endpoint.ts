import { ERROR_STATUS, type ErrorCode, GatewayError, methodNotAllowed, resourceNotFound } from '../errors.ts';
import { type HttpExchange, type ResponseHeaders, receiveJson, sendJson } from '../http/index.ts';
import { flatRefusal, type OperationPipeline, type OperationResult, type PublicError } from '../operation/index.ts';
import { notAnObject } from './errors.ts';
import { requireOwnPage } from './own-page.ts';
import { cookieToForget, cookieToKeep, keptToken, type SessionCookies } from './session-cookie.ts';

/** What is below it gets the session's cookie, and nothing else does. */
export const SESSION_PATH = 'session/';

export interface SessionEndpointOptions {
  readonly operations: OperationPipeline;
  readonly maxBodyBytes: number;
}

/** A mutation of the auth service, and what it is called with. */
interface AuthCall {
  readonly field: string;
  readonly query: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** What a mutation of the auth service returns. */
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

/** @param refreshToken of the session to end; without one that of the bearer token. */
const logoutCall = (refreshToken: string | undefined): AuthCall => ({
  field: 'auth_user_logout',
  query:
    'mutation auth_user_logout($data: AuthUserLogoutInput) { auth_user_logout(data: $data) { success error_message } }',
  data: refreshToken === undefined ? {} : { refresh_token: refreshToken },
});

const NO_SESSION: AuthResult = { success: false, error_message: 'There is no session to go on with' };

/**
 * Answers `POST /console/session/login`, `refresh` and `logout` as the mutations of the auth service that they run, as the public
 * role: with `success`, `error_message` and `data`, and the status of the REST endpoints. The refresh token is never in an
 * answer: it is the value of a cookie.
 *
 * @throws GatewayError 403 where no page of this origin asks.
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
    const given = { body: body as AuthCall['data'], origin, kept: keptToken(cookies, origin) };
    await handle(given, exchange, options.operations);
  };
}

interface SessionRequest {
  readonly body: AuthCall['data'];
  readonly origin: URL;
  /** The refresh token of the cookie. */
  readonly kept: string | undefined;
}

type Action = (given: SessionRequest, exchange: HttpExchange, operations: OperationPipeline) => Promise<void>;

const ACTIONS: Readonly<Record<string, Action>> = {
  login: async ({ body, origin, kept }, exchange, operations) => {
    const { username, password, tenant_id } = body;
    const answer = await runAuthCall(loginCall({ username, password, tenant_id }), exchange, operations);
    const cookie = tokenCookie(answer, origin);
    // The login has succeeded, whether or not the session that it replaces can be ended: it may be over already.
    if (cookie !== undefined && kept !== undefined)
      await endKept(kept, exchange, operations).catch((error: unknown) => {
        if (!(error instanceof GatewayError)) throw error;
      });
    send(exchange, answer, cookie);
  },

  refresh: async ({ origin, kept }, exchange, operations) => {
    if (kept === undefined) return send(exchange, { status: 401, headers: {}, result: NO_SESSION });
    const answer = await runAuthCall(refreshCall(kept), exchange, operations);
    // Any other failure leaves the token as good as it was.
    const isOver = 'result' in answer && answer.status === 401;
    send(exchange, answer, isOver ? cookieToForget(origin) : tokenCookie(answer, origin));
  },

  logout: async ({ origin, kept }, exchange, operations) => {
    const { headers } = exchange.request;
    const { authorization } = headers;
    let answer = kept === undefined ? undefined : await endKept(kept, exchange, operations);
    // A cookie whose session is over leaves that of the bearer token to end.
    if (answer === undefined || (answer.status === 401 && authorization !== undefined)) {
      if (authorization !== undefined) headers.authorization = authorization;
      answer = await runAuthCall(logoutCall(undefined), exchange, operations);
    }
    send(exchange, answer, cookieToForget(origin));
  },
};

/** Ends the cookie's session, whatever bearer token comes along: one of another user's would have the logout refused. */
function endKept(kept: string, exchange: HttpExchange, operations: OperationPipeline): Promise<AuthAnswer> {
  delete exchange.request.headers.authorization;
  return runAuthCall(logoutCall(kept), exchange, operations);
}

/** `Set-Cookie` with the refresh token of an answer. */
function tokenCookie(answer: AuthAnswer, origin: URL): string | undefined {
  const token = 'result' in answer ? answer.result.data?.refresh_token : undefined;
  return token === undefined ? undefined : cookieToKeep(token, origin);
}

/** @throws GatewayError where the gateway refuses the mutation, as in a graph without an auth service. */
async function runAuthCall(call: AuthCall, exchange: HttpExchange, operations: OperationPipeline): Promise<AuthAnswer> {
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

function send(exchange: HttpExchange, answer: AuthAnswer, cookie?: string): void {
  const { status, headers } = answer;
  const cookies = [headers['set-cookie'] ?? [], cookie ?? []].flat();
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
