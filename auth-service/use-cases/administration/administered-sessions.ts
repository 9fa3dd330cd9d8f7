import { isUuid } from '../../../platform/index.ts';
import { type LivingSession, livingSession, livingSessionsOf } from '../living-sessions.ts';
import type { AdministeredTenants } from './administered-tenants.ts';
import type { UserInput } from './administered-users.ts';
import type { Administrator } from './administrator.ts';
import { type ChangedUser, type ChangeUsersOptions, changeUser } from './change-users.ts';
import { refusal } from './errors.ts';
import {
  olderThan,
  type Page,
  type PageInput,
  pageOf,
  readPageSize,
  readTenantId,
  readTimeCursor,
  readUserId,
  timeCursor,
} from './input.ts';

export type ListUserSessionsInput = UserInput & PageInput;

export interface RevokeSessionsInput extends UserInput {
  /** All sessions of the user if absent. */
  session_id?: string | null;
}

/** Lists the active sessions of a user, the newest first. @throws AdministrationError */
export function createListUserSessions(tenants: AdministeredTenants, now: () => Date) {
  return async (administrator: Administrator, input: ListUserSessionsInput): Promise<Page<LivingSession>> => {
    const tenantId = readTenantId(administrator, input.tenant_id);
    const userId = readUserId(input.user_id);
    const size = readPageSize(input.first);
    const after = readTimeCursor(input.after);
    const at = now();
    const rows = await tenants.read(tenantId, async ({ session, user }) => {
      if ((await user.count({ where: { tenantId, id: userId } })) === 0) throw refusal('unknown-user');
      return session.findMany({
        where: { ...livingSessionsOf(tenantId, userId, at), ...olderThan(after) },
        orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
        take: size + 1,
      });
    });
    return pageOf(rows, size, timeCursor, livingSession);
  };
}

/** Ends one session of a user, or all of them, and revokes their access tokens. @throws AdministrationError */
export function createRevokeSessions(options: Pick<ChangeUsersOptions, 'tenants' | 'roles' | 'now'>) {
  return (administrator: Administrator, input: RevokeSessionsInput): Promise<ChangedUser> =>
    changeUser(options, administrator, input, async (change) => {
      const sessionId = readSessionId(input.session_id);
      const ended = await change.endSessions(sessionId);
      if (ended === 0 && sessionId !== undefined) throw refusal('unknown-session');
      const which = sessionId === undefined ? { all: true } : { session_id: sessionId };
      if (ended > 0) await change.record('session.revoke', { ended_sessions: ended, ...which });
      return { user: change.user, ended };
    });
}

function readSessionId(sessionId: string | null | undefined): string | undefined {
  if (sessionId == null) return undefined;
  if (!isUuid(sessionId)) throw refusal('unknown-session');
  return sessionId.toLowerCase();
}
