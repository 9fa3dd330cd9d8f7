import type { LogEvent } from '../http/index.ts';
import type {
  AuthenticatedCaller,
  ChangePasswordResult,
  LogoutResult,
  RefreshResult,
  RevokeSessionResult,
} from '../use-cases/index.ts';
import type { GraphContext } from './context.ts';

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

export function logRefresh({ logger }: GraphContext, result: RefreshResult): void {
  const level = result.outcome === 'reused' ? 'warn' : 'info';
  logger[level]({ event: REFRESH_EVENTS[result.outcome], ...refreshLogFields(result) }, 'refresh');
}

export function logLogout({ logger }: GraphContext, { outcome, ...details }: LogoutResult): void {
  logger.info({ event: LOGOUT_EVENTS[outcome], outcome, ...logoutLogFields(details) }, 'logout');
}

export function logSessionRevoke(
  { logger }: GraphContext,
  { outcome }: RevokeSessionResult,
  caller: AuthenticatedCaller,
): void {
  logger.info({ event: SESSION_REVOKE_EVENTS[outcome], outcome, ...callerLogFields(caller) }, 'session revoke');
}

export function logPasswordChange(
  { logger }: GraphContext,
  result: ChangePasswordResult,
  caller: AuthenticatedCaller,
): void {
  logger.info(
    {
      event: PASSWORD_CHANGE_EVENTS[result.outcome],
      ...passwordChangeLogFields(result),
      ...callerLogFields(caller),
    },
    'password change',
  );
}

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

function logoutLogFields(details: { tenantId?: number; userId?: string; ended?: number; reason?: string }) {
  const { tenantId, userId, ...rest } = details;
  return { ...rest, ...(tenantId === undefined ? {} : { tenant_id: tenantId, user_id: userId }) };
}

function callerLogFields({ account, sessionId }: AuthenticatedCaller) {
  return { tenant_id: account.tenantId, user_id: account.userId, session_id: sessionId };
}
