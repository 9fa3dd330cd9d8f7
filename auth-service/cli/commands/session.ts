import { isUuid } from '../../../platform/index.ts';
import { recordAudit } from '../../audit/index.ts';
import { endSessions, lockUser } from '../../use-cases/index.ts';
import { type DatabaseCommandRuns, positionalAt } from '../command.ts';
import { CommandError, UsageError } from '../command-errors.ts';
import { listOutcome, messageOutcome } from '../print.ts';
import { findUser } from '../subjects.ts';

const SESSIONS_PER_PAGE = 1_000;

export const sessionCommands: DatabaseCommandRuns = {
  async 'session list'(context, given) {
    const { tenantId, userId } = await findUser(context, positionalAt(given, 0), positionalAt(given, 1));
    const sessions = await context.database.inTenant(tenantId, ({ session }) =>
      session.findMany({
        where: { tenantId, userId, revokedAt: null, expiresAt: { gt: context.now() } },
        orderBy: [{ lastUsedAt: 'desc' }, { id: 'asc' }],
        take: SESSIONS_PER_PAGE,
      }),
    );
    return listOutcome(
      sessions.map(({ id, createdAt, lastUsedAt, expiresAt, clientAddress, userAgent }) => ({
        id,
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
    const sessionId = given.positionals[2];
    if ((sessionId === undefined) !== given.flags.has('all')) throw new UsageError('expected a session id or --all');
    if (sessionId !== undefined && !isUuid(sessionId)) throw new UsageError('expected a session id');
    const ended = await context.database.inTenant(tenantId, async (transaction) => {
      await lockUser(transaction, tenantId, userId);
      const which = { tenantId, userId, ...(sessionId !== undefined && { sessionId: sessionId.toLowerCase() }) };
      const now = context.now();
      const count = await endSessions(transaction, which, now);
      if (count > 0)
        await recordAudit(transaction, {
          ...context.author,
          at: now,
          event: 'session.revoke',
          outcome: 'success',
          tenantId,
          subject: { kind: 'user', id: userId },
          details: {
            ended_sessions: count,
            ...(sessionId === undefined ? { all: true } : { session_id: sessionId.toLowerCase() }),
          },
        });
      return count;
    });
    if (ended === 0 && sessionId !== undefined) throw new CommandError('this user has no such living session');
    return messageOutcome(`${ended} sessions ended`, { user_id: userId, ended_sessions: ended });
  },
};
