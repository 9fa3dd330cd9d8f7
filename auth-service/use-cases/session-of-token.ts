import { type Database, Prisma } from '../database/index.ts';

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
  const [session] = await database.single.acrossTenants<Omit<SessionOfToken, 'tokenHash'>>(
    'session-of-refresh-token',
    Prisma.sql`
      SELECT sessions.tenant_id AS "tenantId", sessions.user_id AS "userId", sessions.id AS "sessionId",
        sessions.expires_at AS "expiresAt", refresh_tokens.expires_at AS "tokenExpiresAt"
      FROM refresh_tokens
      JOIN sessions ON sessions.tenant_id = refresh_tokens.tenant_id AND sessions.id = refresh_tokens.session_id
      WHERE refresh_tokens.hash = ${tokenHash}`,
  );
  return session && { ...session, tokenHash };
}
