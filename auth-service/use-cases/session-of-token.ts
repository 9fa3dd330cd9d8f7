import type { Database } from '../database/index.ts';

/** What does not change about a refresh token and its session. */
export interface SessionOfToken {
  tenantId: number;
  userId: string;
  sessionId: string;
  /** The session's absolute end. */
  expiresAt: Date;
  tokenHash: Uint8Array<ArrayBuffer>;
  tokenExpiresAt: Date;
}

/** The session that a refresh token belongs to, by the token's hash. The caller cannot say which tenant it is of. */
export async function findSessionOfToken(
  database: Database,
  tokenHash: Uint8Array<ArrayBuffer>,
): Promise<SessionOfToken | undefined> {
  const token = await database.refreshToken.findUnique({ where: { hash: tokenHash }, include: { session: true } });
  if (!token) return undefined;
  const { tenantId, session, expiresAt: tokenExpiresAt } = token;
  const { id: sessionId, userId, expiresAt } = session;
  return { tenantId, userId, sessionId, expiresAt, tokenHash, tokenExpiresAt };
}
