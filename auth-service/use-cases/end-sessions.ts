import { addDays } from '../../platform/index.ts';
import type { Transaction } from '../database/index.ts';
import { recordRevocations } from './revocations.ts';

/** Sessions of one tenant: of one user or all users, a single session, or all but one. */
export interface SessionsToEnd {
  tenantId: number;
  userId?: string;
  sessionId?: string;
  exceptSessionId?: string;
}

/**
 * Ends sessions and revokes their access tokens, in the transaction of the change that ends them, so that both are committed or
 * neither. A transaction that ends more than one session of a user locks the user's row first, so that two of them cannot
 * deadlock.
 *
 * @returns how many sessions were still active.
 */
export async function endSessions(transaction: Transaction, which: SessionsToEnd, at: Date): Promise<number> {
  const { tenantId, userId, sessionId, exceptSessionId } = which;
  const ended = await transaction.session.updateManyAndReturn({
    where: {
      tenantId,
      revokedAt: null,
      expiresAt: { gt: at },
      ...(userId === undefined ? {} : { userId }),
      ...(sessionId === undefined ? {} : { id: sessionId }),
      ...(exceptSessionId === undefined ? {} : { NOT: { id: exceptSessionId } }),
    },
    data: { revokedAt: at },
    select: { id: true, accessEndsAt: true },
  });
  const revocations = ended.map(({ id, accessEndsAt }) => ({
    tenantId,
    sessionId: id,
    // Sessions of earlier versions have no such time. Access tokens live for a day at most.
    until: accessEndsAt ?? addDays(at, 1),
  }));
  await recordRevocations(transaction, revocations, at);
  return ended.length;
}

/** Waits for transactions that open, refresh or end sessions of this user, and blocks later ones. */
export async function lockUser(transaction: Transaction, tenantId: number, userId: string): Promise<void> {
  await transaction.$queryRaw`
    SELECT 1 FROM users WHERE tenant_id = ${tenantId} AND id = ${userId}::uuid FOR NO KEY UPDATE`;
}
