import { type Database, Prisma } from '../database/index.ts';
import { type RefreshTokens, refreshTokenHash } from '../tokens/index.ts';

/** The immutable properties of a refresh token and its session. */
export interface SessionOfToken {
  tenantId: number;
  userId: string;
  sessionId: string;
  /** The session's absolute end. */
  expiresAt: Date;
  tokenHash: Uint8Array<ArrayBuffer>;
  tokenExpiresAt: Date;
  /** The number of the session's newest token. 0 if none has a number. */
  generation: number;
  /** Whether its row is deleted because its successor has been rotated. */
  isSuperseded: boolean;
}

type SessionRow = Omit<SessionOfToken, 'tokenHash' | 'isSuperseded'>;

/**
 * Returns the session of a refresh token, whose tenant is not known beforehand.
 *
 * The current token of a session and the previous one are found by their hashes, and so are tokens of 128 random bits. An older
 * token has no row any more, but contains its session's id.
 */
export async function findSessionOfToken(
  { database, refreshTokens }: { database: Database; refreshTokens: RefreshTokens },
  token: string,
): Promise<SessionOfToken | undefined> {
  const tokenHash = refreshTokenHash(token);
  const [session] = await database.single.acrossTenants<SessionRow>(
    'session-of-refresh-token',
    Prisma.sql`
      SELECT sessions.tenant_id AS "tenantId", sessions.user_id AS "userId", sessions.id AS "sessionId",
        sessions.expires_at AS "expiresAt", sessions.refresh_generation AS generation,
        refresh_tokens.expires_at AS "tokenExpiresAt"
      FROM refresh_tokens
      JOIN sessions ON sessions.tenant_id = refresh_tokens.tenant_id AND sessions.id = refresh_tokens.session_id
      WHERE refresh_tokens.hash = ${tokenHash}`,
    'find-refresh-token',
  );
  if (session) return { ...session, tokenHash, isSuperseded: false };

  for (const { tenantId, sessionIds, generation } of refreshTokens.read(token)) {
    const [first, last] = sessionIds;
    const sessions = await database.single.acrossTenants<SessionRow>(
      'session-of-refresh-token',
      Prisma.sql`
        SELECT tenant_id AS "tenantId", user_id AS "userId", id AS "sessionId", expires_at AS "expiresAt",
          refresh_generation AS generation, expires_at AS "tokenExpiresAt"
        FROM sessions
        WHERE tenant_id = ${tenantId} AND id BETWEEN ${first}::uuid AND ${last}::uuid
        LIMIT 2`,
      'find-refresh-token',
    );
    const [found] = sessions;
    // The token was issued after the restored backup was made, so it does not prove a copy.
    if (found && sessions.length === 1 && generation < found.generation)
      return { ...found, tokenHash, isSuperseded: true };
  }
  return undefined;
}
