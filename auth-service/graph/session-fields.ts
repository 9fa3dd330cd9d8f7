import { ApiError, missingField, REFUSALS, unusableNewPassword } from '../errors.ts';
import type { LogEvent } from '../http/index.ts';
import type {
  AuthenticatedCaller,
  ChangePassword,
  ChangePasswordInput,
  ChangePasswordResult,
  IdentifyCaller,
  ListedSession,
  ListSessions,
  Logout,
  LogoutInput,
  LogoutResult,
  Refresh,
  RefreshInput,
  RefreshResult,
  RevokeSession,
  RevokeSessionInput,
  RevokeSessionResult,
} from '../use-cases/index.ts';
import type { GraphContext } from './context.ts';
import {
  busy,
  INVALID_TOKEN_CHALLENGE,
  type MutationResult,
  refusedResult,
  success,
  throttledResult,
  tokensAnswer,
} from './mutation-result.ts';

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

/** The fields about the caller's account and sessions. */
export function createSessionFields(useCases: SessionUseCases) {
  const { identifyCaller, refresh, logout, listSessions, revokeSession, changePassword } = useCases;

  /** @throws ApiError without a living session; a query has no other way of saying so. */
  async function callerOf(context: GraphContext): Promise<AuthenticatedCaller> {
    const caller = await identifyCaller(context.accessToken);
    if (caller) return caller;
    context.http = { status: REFUSALS.notLoggedIn.status, headers: INVALID_TOKEN_CHALLENGE };
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
        return (await listSessions(await callerOf(context))).map(ownSessionAnswer);
      },
    },
    Mutation: {
      async auth_token_refresh(_root: unknown, { data }: { data: RefreshInput }, context: GraphContext) {
        const result = await refresh(data, context.client);
        const level = result.outcome === 'reused' ? 'warn' : 'info';
        context.logger[level]({ event: REFRESH_EVENTS[result.outcome], ...refreshLogFields(result) }, 'refresh');
        if (result.outcome === 'success') {
          context.followDelivery(result.spent);
          return tokensAnswer(result.tokens);
        }
        if (result.outcome === 'refused' && result.reason.kind === 'missing-field')
          return refusedResult(context, missingField(result.reason.field));
        return refusedResult(context, REFUSALS.invalidRefreshToken);
      },

      async auth_user_logout(
        _root: unknown,
        { data }: { data?: LogoutInput | null },
        context: GraphContext,
      ): Promise<MutationResult<Ended>> {
        const result = await logout(data ?? {}, context.accessToken, context.client);
        const { outcome, ...details } = result;
        context.logger.info({ event: LOGOUT_EVENTS[outcome], outcome, ...sessionLogFields(details) }, 'logout');
        if (result.outcome === 'success') return success({ revoked_sessions: result.ended });
        if (result.reason === 'no-token') return refusedResult(context, REFUSALS.missingToken);
        return refusedResult(context, REFUSALS.invalidToken);
      },

      async auth_session_revoke(
        _root: unknown,
        { data }: { data: RevokeSessionInput },
        context: GraphContext,
      ): Promise<MutationResult<Ended>> {
        const caller = await identifyCaller(context.accessToken);
        if (!caller) return refusedResult(context, REFUSALS.notLoggedIn, INVALID_TOKEN_CHALLENGE);
        const result = await revokeSession(data, caller, context.client);
        context.logger.info(
          { event: SESSION_REVOKE_EVENTS[result.outcome], outcome: result.outcome, ...callerLogFields(caller) },
          'session revoke',
        );
        if (result.outcome === 'success') return success({ revoked_sessions: result.ended });
        if (result.reason.kind === 'missing-field') return refusedResult(context, missingField(result.reason.field));
        return refusedResult(context, REFUSALS.unknownSession);
      },

      async auth_user_change_password(
        _root: unknown,
        { data }: { data: ChangePasswordInput },
        context: GraphContext,
      ): Promise<MutationResult<Ended>> {
        const caller = await identifyCaller(context.accessToken);
        if (!caller) return refusedResult(context, REFUSALS.notLoggedIn, INVALID_TOKEN_CHALLENGE);
        const result = await changePassword(data, caller, context.client);
        context.logger.info(
          {
            event: PASSWORD_CHANGE_EVENTS[result.outcome],
            ...passwordChangeLogFields(result),
            ...callerLogFields(caller),
          },
          'password change',
        );
        return changePasswordAnswer(result, context);
      },
    },
  };
}

function changePasswordAnswer(result: ChangePasswordResult, context: GraphContext): MutationResult<Ended> {
  if (result.outcome === 'success') return success({ revoked_sessions: result.ended });
  if (result.outcome === 'busy') return busy(context, result.retryAfterSeconds);
  if (result.outcome === 'throttled') return throttledResult(context, result.retryAfterSeconds);
  switch (result.reason.kind) {
    case 'missing-field':
      return refusedResult(context, missingField(result.reason.field));
    case 'current-password':
      return refusedResult(context, REFUSALS.wrongCurrentPassword);
    case 'new-password':
      return refusedResult(context, unusableNewPassword(result.reason.problem));
    case 'overtaken':
      return refusedResult(context, REFUSALS.overtaken);
  }
}

function ownSessionAnswer(session: ListedSession) {
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

const REFRESH_EVENTS = {
  success: 'refresh.succeeded',
  refused: 'refresh.refused',
  reused: 'refresh.reuse_detected',
} as const satisfies Record<RefreshResult['outcome'], LogEvent>;

const LOGOUT_EVENTS = { success: 'logout.succeeded', refused: 'logout.refused' } as const satisfies Record<
  LogoutResult['outcome'],
  LogEvent
>;

const SESSION_REVOKE_EVENTS = {
  success: 'session_revoke.succeeded',
  refused: 'session_revoke.refused',
} as const satisfies Record<RevokeSessionResult['outcome'], LogEvent>;

const PASSWORD_CHANGE_EVENTS = {
  success: 'password_change.succeeded',
  refused: 'password_change.refused',
  throttled: 'password_change.throttled',
  busy: 'password_change.busy',
} as const satisfies Record<ChangePasswordResult['outcome'], LogEvent>;

function refreshLogFields(result: RefreshResult) {
  if (result.outcome === 'success') {
    const { account, sessionId } = result;
    return { outcome: result.outcome, tenant_id: account.tenantId, user_id: account.userId, session_id: sessionId };
  }
  if (result.outcome === 'refused') return { outcome: result.reason.kind };
  const { outcome, tenantId, userId, sessionId } = result;
  return { outcome, tenant_id: tenantId, user_id: userId, session_id: sessionId };
}

function passwordChangeLogFields(result: ChangePasswordResult) {
  if (result.outcome !== 'refused') return { outcome: result.outcome };
  const { reason } = result;
  return { outcome: result.outcome, reason: reason.kind === 'new-password' ? reason.problem.code : reason.kind };
}

function sessionLogFields(details: { tenantId?: number; userId?: string; ended?: number; reason?: string }) {
  const { tenantId, userId, ...rest } = details;
  return { ...rest, ...(tenantId === undefined ? {} : { tenant_id: tenantId, user_id: userId }) };
}

function callerLogFields({ account, sessionId }: AuthenticatedCaller) {
  return { tenant_id: account.tenantId, user_id: account.userId, session_id: sessionId };
}
