import type { Prisma } from '../database/index.ts';

/** A session as its user and administrators see it. */
export interface LivingSession {
  sessionId: string;
  createdAt: Date;
  lastUsedAt: Date;
  /** The absolute end. Unused for long, it ends before. */
  expiresAt: Date;
  clientAddress: string | null;
  userAgent: string | null;
}

/** The sessions of a user that can still be refreshed: neither revoked, nor at their end, nor unused for too long. */
export function livingSessionsOf(tenantId: number, userId: string, at: Date) {
  return {
    tenantId,
    userId,
    revokedAt: null,
    expiresAt: { gt: at },
    refreshTokens: { some: { usedAt: null, expiresAt: { gt: at } } },
  } satisfies Prisma.SessionWhereInput;
}

/** What is shown of the row of a session. */
export function livingSession({ id, ...row }: Omit<LivingSession, 'sessionId'> & { id: string }): LivingSession {
  const { createdAt, lastUsedAt, expiresAt, clientAddress, userAgent } = row;
  return { sessionId: id, createdAt, lastUsedAt, expiresAt, clientAddress, userAgent };
}
