import { type Author, recordAudit } from '../audit/index.ts';
import type { Database } from '../database/index.ts';
import { endSessions } from './end-sessions.ts';

/** A user of a tenant, by ids. */
export interface UserKey {
  tenantId: number;
  /** A UUID. */
  userId: string;
}

/** @returns whether there is such a user; how many sessions ended. */
export type DisableUser = (user: UserKey) => Promise<{ found: boolean; ended: number }>;

/**
 * Locks a user out at once: no login, no refresh, all sessions ended for good, all access tokens revoked. To do it again
 * changes nothing, but ends what may have been left.
 */
export function createDisableUser(database: Database, now: () => Date, author: Author): DisableUser {
  return async ({ tenantId, userId }) => {
    const at = now();
    return database.inTenant(tenantId, async (transaction) => {
      // The user's row is held from here on, so no session can be opened behind the back of what follows.
      const { count } = await transaction.user.updateMany({
        where: { tenantId, id: userId },
        data: { disabledAt: at },
      });
      if (count === 0) return { found: false, ended: 0 };
      const ended = await endSessions(transaction, { tenantId, userId }, at);
      const subject = { kind: 'user', id: userId } as const;
      const what = { at, event: 'user.disable', outcome: 'success', tenantId, subject } as const;
      await recordAudit(transaction, { ...author, ...what, details: { ended_sessions: ended } });
      return { found: true, ended };
    });
  };
}

/** @returns whether there is such a user. */
export type EnableUser = (user: UserKey) => Promise<boolean>;

/** Lets a user log in again. The sessions from before stay ended. */
export function createEnableUser(database: Database, now: () => Date, author: Author): EnableUser {
  return async ({ tenantId, userId }) =>
    database.inTenant(tenantId, async (transaction) => {
      const where = { tenantId, id: userId };
      const { count } = await transaction.user.updateMany({ where, data: { disabledAt: null } });
      if (count === 0) return false;
      const subject = { kind: 'user', id: userId } as const;
      const what = { at: now(), event: 'user.enable', outcome: 'success', tenantId, subject } as const;
      await recordAudit(transaction, { ...author, ...what });
      return true;
    });
}
