import type { Database } from '../database/index.ts';
import type { AuthenticatedCaller } from './identify-caller.ts';

/** A list is for a person to read; the sessions that were used last are in it. */
const MAX_LISTED_SESSIONS = 500;

export interface ListedSession {
  sessionId: string;
  createdAt: Date;
  lastUsedAt: Date;
  /** The absolute end. Unused for long, it ends before. */
  expiresAt: Date;
  clientAddress: string | null;
  userAgent: string | null;
  /** Whether it is the session of the caller's token. */
  current: boolean;
}

export type ListSessions = (caller: AuthenticatedCaller) => Promise<ListedSession[]>;

/** The caller's sessions that can still be refreshed, the one used last first. */
export function createListSessions(database: Database, now: () => Date): ListSessions {
  return async ({ account: { tenantId, userId }, sessionId: current }) => {
    const at = now();
    const sessions = await database.inTenant(
      tenantId,
      ({ session }) =>
        session.findMany({
          where: {
            tenantId,
            userId,
            revokedAt: null,
            expiresAt: { gt: at },
            refreshTokens: { some: { usedAt: null, expiresAt: { gt: at } } },
          },
          orderBy: [{ lastUsedAt: 'desc' }, { id: 'asc' }],
          take: MAX_LISTED_SESSIONS,
        }),
      { operation: 'list-sessions' },
    );
    return sessions.map(({ id, createdAt, lastUsedAt, expiresAt, clientAddress, userAgent }) => ({
      sessionId: id,
      createdAt,
      lastUsedAt,
      expiresAt,
      clientAddress,
      userAgent,
      current: id === current,
    }));
  };
}
