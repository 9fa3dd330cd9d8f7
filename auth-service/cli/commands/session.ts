import { isUuid } from '../../../platform/index.ts';
import { type DatabaseCommandRuns, positionalAt } from '../command.ts';
import { sessionIdExpected, sessionOrAllExpected } from '../errors.ts';
import { SESSIONS_PER_LIST } from '../page-sizes.ts';
import { allPages } from '../pages.ts';
import { listOutcome, messageOutcome } from '../print.ts';
import { findUser } from '../subjects.ts';

export const sessionCommands: DatabaseCommandRuns = {
  async 'session list'(context, given) {
    const { administration, administrator } = context;
    const { tenantId, userId } = await findUser(context, positionalAt(given, 0), positionalAt(given, 1));
    const user = { tenant_id: tenantId, user_id: userId };
    const sessions = await allPages(
      (page) => administration.listSessions(administrator, { ...user, ...page }),
      SESSIONS_PER_LIST,
    );
    const byUse = sessions.toSorted((one, other) => other.lastUsedAt.getTime() - one.lastUsedAt.getTime());
    return listOutcome(
      byUse.map(({ sessionId, createdAt, lastUsedAt, expiresAt, clientAddress, userAgent }) => ({
        id: sessionId,
        created_at: createdAt,
        last_used_at: lastUsedAt,
        expires_at: expiresAt,
        client_address: clientAddress,
        user_agent: userAgent,
      })),
    );
  },

  async 'session revoke'(context, given) {
    const { tenantId, userId } = await findUser(context, positionalAt(given, 0), positionalAt(given, 1));
    const session_id = given.positionals[2] ?? null;
    if ((session_id === null) !== given.flags.has('all')) throw sessionOrAllExpected();
    if (session_id !== null && !isUuid(session_id)) throw sessionIdExpected();
    const input = { tenant_id: tenantId, user_id: userId, session_id };
    const { ended } = await context.administration.revokeSessions(context.administrator, input);
    return messageOutcome(`${ended} sessions ended`, { user_id: userId, ended_sessions: ended });
  },
};
