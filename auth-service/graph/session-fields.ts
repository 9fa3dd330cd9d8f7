import { ApiError, missingField, REFUSALS, unusableNewPassword } from '../errors.ts';
import type {
  AuthenticatedCaller,
  ChangePassword,
  ChangePasswordInput,
  ChangePasswordResult,
  IdentifyCaller,
  ListSessions,
  Logout,
  LogoutInput,
  Refresh,
  RefreshInput,
  RevokeSession,
  RevokeSessionInput,
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
import { sessionAnswer } from './session-answer.ts';
import { logLogout, logPasswordChange, logRefresh, logSessionRevoke } from './session-log.ts';

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

/** Creates the fields about the caller's account and sessions. */
export function createSessionFields(useCases: SessionUseCases) {
  const { identifyCaller, refresh, logout, listSessions, revokeSession, changePassword } = useCases;

  /** @throws ApiError without an active session, since a query has no other way to report it. */
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
        return (await listSessions(await callerOf(context))).map((session) => ({
          ...sessionAnswer(session),
          current: session.current,
        }));
      },
    },
    Mutation: {
      async auth_token_refresh(_root: unknown, { data }: { data: RefreshInput }, context: GraphContext) {
        const result = await refresh(data, context.client);
        logRefresh(context, result);
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
        logLogout(context, result);
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
        logSessionRevoke(context, result, caller);
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
        logPasswordChange(context, result, caller);
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
