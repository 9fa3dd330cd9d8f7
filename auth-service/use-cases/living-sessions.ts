import type { Prisma } from '../database/index.ts';

/** A session as its user and administrators see it. */
export interface LivingSession {
  sessionId: string;
  createdAt: Date;
  lastUsedAt: Date;
  /** The absolute end. A session that is not used for long ends before. */
  expiresAt: Date;
  clientAddress: string | null;
  userAgent: string | null;
}

/**
 * Returns the condition for a user's sessions that can still be refreshed: neither revoked, nor expired, nor idle for too long.
 */
export function livingSessionsOf(tenantId: number, userId: string, at: Date) {
  return {
    tenantId,
    userId,
    revokedAt: null,
    expiresAt: { gt: at },
    refreshTokens: { some: { usedAt: null, expiresAt: { gt: at } } },
  } satisfies Prisma.SessionWhereInput;
}

/** Returns the visible part of a session's row. */
export function livingSession({ id, ...row }: Omit<LivingSession, 'sessionId'> & { id: string }): LivingSession {
  const { createdAt, lastUsedAt, expiresAt, clientAddress, userAgent } = row;
  return { sessionId: id, createdAt, lastUsedAt, expiresAt, clientAddress, userAgent };
}
