import type { Database } from '../database/index.ts';
import type { AuthenticatedCaller } from './identify-caller.ts';
import { type LivingSession, livingSession, livingSessionsOf } from './living-sessions.ts';

/** The limit of a list, which people read. It contains the most recently used sessions. */
const MAX_LISTED_SESSIONS = 500;

export interface ListedSession extends LivingSession {
  /** Whether this is the session of the caller's token. */
  current: boolean;
}

export type ListSessions = (caller: AuthenticatedCaller) => Promise<ListedSession[]>;

/** Lists the caller's sessions that can still be refreshed, the most recently used first. */
export function createListSessions(database: Database, now: () => Date): ListSessions {
  return async ({ account: { tenantId, userId }, sessionId: current }) => {
    const sessions = await database.inTenant(
      tenantId,
      ({ session }) =>
        session.findMany({
          where: livingSessionsOf(tenantId, userId, now()),
          orderBy: [{ lastUsedAt: 'desc' }, { id: 'asc' }],
          take: MAX_LISTED_SESSIONS,
        }),
      { operation: 'list-sessions' },
    );
    return sessions.map((session) => ({ ...livingSession(session), current: session.id === current }));
  };
}
