import { ApiError } from '../errors.ts';
import type {
  Caller,
  ChangePassword,
  ChangePasswordInput,
  ChangePasswordResult,
  IdentifyCaller,
  ListedSession,
  ListSessions,
  Logout,
  LogoutInput,
  PasswordProblem,
  Refresh,
  RefreshInput,
  RefreshResult,
  RevokeSession,
  RevokeSessionInput,
} from '../use-cases/index.ts';
import { type Answer, busy, refusal, success, throttled, tokensAnswer } from './answer.ts';
import type { GraphContext, HttpHint } from './context.ts';

export interface SessionUseCases {
  identifyCaller: IdentifyCaller;
  refresh: Refresh;
  logout: Logout;
  listSessions: ListSessions;
  revokeSession: RevokeSession;
  changePassword: ChangePassword;
}

interface Ended {
  revoked_sessions: number;
}

/** RFC 6750, section 3. */
const UNAUTHORIZED: HttpHint = {
  status: 401,
  headers: { 'www-authenticate': 'Bearer realm="portico", error="invalid_token"' },
};
const NOT_LOGGED_IN = 'The access token is missing, expired or revoked';

/** The fields about the caller's account and sessions. */
export function createSessionFields(useCases: SessionUseCases) {
  const { identifyCaller, refresh, logout, listSessions, revokeSession, changePassword } = useCases;

  /** @throws ApiError without a living session; a query has no other way of saying so. */
  async function callerOf(context: GraphContext): Promise<Caller> {
    const caller = await identifyCaller(context.accessToken);
    if (caller) return caller;
    context.http = UNAUTHORIZED;
    throw new ApiError('invalid-jwt');
  }

  return {
    callerOf,
    Query: {
      async auth_user_me(_root: unknown, _args: unknown, context: GraphContext) {
        const { account } = await callerOf(context);
        return {
          user_id: account.userId,
          username: account.username,
          tenant_id: account.tenantId,
          tenant_name: account.tenantName,
          default_role: account.defaultRole,
          allowed_roles: account.allowedRoles,
        };
      },
      async auth_session_list(_root: unknown, _args: unknown, context: GraphContext) {
        return (await listSessions(await callerOf(context))).map(sessionAnswer);
      },
    },
    Mutation: {
      async auth_token_refresh(_root: unknown, { data }: { data: RefreshInput }, context: GraphContext) {
        const result = await refresh(data, context.client);
        const level = result.outcome === 'reused' ? 'warn' : 'info';
        context.logger[level](refreshToLog(result), 'refresh');
        if (result.outcome === 'success') {
          context.followDelivery(result.spent);
          return tokensAnswer(result.tokens);
        }
        if (result.outcome === 'refused' && result.reason.kind === 'missing-field')
          return refusal(context, `${result.reason.field} is required`, { status: 400 });
        return refusal(context, 'Invalid or expired refresh token', { status: 401 });
      },

      async auth_user_logout(
        _root: unknown,
        { data }: { data?: LogoutInput | null },
        context: GraphContext,
      ): Promise<Answer<Ended>> {
        const result = await logout(data ?? {}, context.accessToken, context.client);
        const { outcome, ...details } = result;
        context.logger.info({ outcome, ...toLog(details) }, 'logout');
        if (result.outcome === 'success') return success({ revoked_sessions: result.ended });
        if (result.reason === 'no-token')
          return refusal(context, 'A bearer token or refresh_token is required', { status: 401 });
        return refusal(context, 'Invalid or expired token', { status: 401 });
      },

      async auth_session_revoke(
        _root: unknown,
        { data }: { data: RevokeSessionInput },
        context: GraphContext,
      ): Promise<Answer<Ended>> {
        const caller = await identifyCaller(context.accessToken);
        if (!caller) return refusal(context, NOT_LOGGED_IN, UNAUTHORIZED);
        const result = await revokeSession(data, caller, context.client);
        context.logger.info({ outcome: result.outcome, ...callerToLog(caller) }, 'session revoke');
        if (result.outcome === 'success') return success({ revoked_sessions: result.ended });
        if (result.reason.kind === 'missing-field')
          return refusal(context, `${result.reason.field} is required`, { status: 400 });
        return refusal(context, 'There is no such session', { status: 404 });
      },

      async auth_user_change_password(
        _root: unknown,
        { data }: { data: ChangePasswordInput },
        context: GraphContext,
      ): Promise<Answer<Ended>> {
        const caller = await identifyCaller(context.accessToken);
        if (!caller) return refusal(context, NOT_LOGGED_IN, UNAUTHORIZED);
        const result = await changePassword(data, caller, context.client);
        context.logger.info({ ...passwordChangeToLog(result), ...callerToLog(caller) }, 'password change');
        return changePasswordAnswer(result, context);
      },
    },
  };
}

function changePasswordAnswer(result: ChangePasswordResult, context: GraphContext): Answer<Ended> {
  if (result.outcome === 'success') return success({ revoked_sessions: result.ended });
  if (result.outcome === 'busy') return busy(context, result.retryAfterSeconds);
  if (result.outcome === 'throttled') return throttled(context, result.retryAfterSeconds);
  switch (result.reason.kind) {
    case 'missing-field':
      return refusal(context, `${result.reason.field} is required`, { status: 400 });
    case 'current-password':
      return refusal(context, 'The current password is wrong', { status: 403 });
    case 'new-password':
      return refusal(context, newPasswordMessage(result.reason.problem), { status: 400 });
    case 'overtaken':
      return refusal(context, 'The session has ended or the password was changed meanwhile', { status: 409 });
  }
}

function newPasswordMessage({ code, message }: PasswordProblem): string {
  return `The new password cannot be used: ${message} (${code})`;
}

function sessionAnswer(session: ListedSession) {
  return {
    session_id: session.sessionId,
    created_at: session.createdAt.toISOString(),
    last_used_at: session.lastUsedAt.toISOString(),
    expires_at: session.expiresAt.toISOString(),
    client_address: session.clientAddress,
    user_agent: session.userAgent,
    current: session.current,
  };
}

function refreshToLog(result: RefreshResult) {
  if (result.outcome === 'success') {
    const { account, sessionId } = result;
    return { outcome: result.outcome, tenant_id: account.tenantId, user_id: account.userId, session_id: sessionId };
  }
  if (result.outcome === 'refused') return { outcome: result.reason.kind };
  const { outcome, tenantId, userId, sessionId } = result;
  return { outcome, tenant_id: tenantId, user_id: userId, session_id: sessionId };
}

function passwordChangeToLog(result: ChangePasswordResult) {
  if (result.outcome !== 'refused') return { outcome: result.outcome };
  const { reason } = result;
  return { outcome: result.outcome, reason: reason.kind === 'new-password' ? reason.problem.code : reason.kind };
}

function toLog(details: { tenantId?: number; userId?: string; ended?: number; reason?: string }) {
  const { tenantId, userId, ...rest } = details;
  return { ...rest, ...(tenantId === undefined ? {} : { tenant_id: tenantId, user_id: userId }) };
}

function callerToLog({ account, sessionId }: Caller) {
  return { tenant_id: account.tenantId, user_id: account.userId, session_id: sessionId };
}
