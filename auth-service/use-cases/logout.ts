import { type Audit, type EventOrigin, PLATFORM, recordAudit } from '../audit/index.ts';
import type { Database } from '../database/index.ts';
import type { RefreshTokens } from '../tokens/index.ts';
import { endSessions, lockUser } from './end-sessions.ts';
import type { IdentifyCaller } from './identify-caller.ts';
import { findSessionOfToken } from './session-of-token.ts';

export interface LogoutInput {
  refresh_token?: string | null;
  /** Ends every session of the user, on all devices. */
  all?: boolean | null;
}

export type LogoutResult =
  | { outcome: 'success'; ended: number; tenantId: number; userId: string }
  | { outcome: 'refused'; reason: 'no-token' | 'token' };

export interface LogoutOptions {
  database: Database;
  audit: Audit;
  refreshTokens: RefreshTokens;
  identifyCaller: IdentifyCaller;
  now(): Date;
}

export type Logout = (
  input: LogoutInput,
  accessToken: string | undefined,
  origin: EventOrigin,
) => Promise<LogoutResult>;

interface SessionToEnd {
  tenantId: number;
  userId: string;
  sessionId: string;
  /** Whether the caller has proved more than possession of a refresh token that was rotated long ago. */
  mayEndOthers: boolean;
}

/**
 * Ends the session of a refresh token, or of an access token if no refresh token is sent, or all sessions of the user. A
 * refresh token of another user than the access token's is treated as unknown.
 */
export function createLogout({ database, audit, refreshTokens, identifyCaller, now }: LogoutOptions): Logout {
  async function findSession(token: string | null | undefined, accessToken: string | undefined) {
    const caller = await identifyCaller(accessToken);
    const bearer: SessionToEnd | undefined = caller && {
      ...caller.account,
      sessionId: caller.sessionId,
      mayEndOthers: true,
    };
    if (token == null) return bearer;
    const named = await findSessionOfToken({ database, refreshTokens }, token);
    if (!named || named.tokenExpiresAt <= now()) return undefined;
    const isAnothers = bearer && (bearer.tenantId !== named.tenantId || bearer.userId !== named.userId);
    return isAnothers ? undefined : { ...named, mayEndOthers: bearer !== undefined || !named.isSuperseded };
  }

  /** A caller can send such a token any number of times, so the entry is deduplicated. */
  async function refuse(session: SessionToEnd | undefined, origin: EventOrigin): Promise<LogoutResult> {
    const refused = { at: now(), event: 'logout', outcome: 'refused', actor: { kind: 'unknown' }, origin } as const;
    if (!session) await audit.recordDeduplicated({ ...refused, tenantId: PLATFORM, details: { reason: 'token' } });
    else {
      const { tenantId, userId } = session;
      const subject = { kind: 'user', id: userId } as const;
      await audit.recordDeduplicated({ ...refused, tenantId, subject, details: { reason: 'ended' } });
    }
    return { outcome: 'refused', reason: 'token' };
  }

  return async ({ refresh_token: token, all }, accessToken, origin) => {
    if (token == null && accessToken === undefined) return { outcome: 'refused', reason: 'no-token' };
    const session = await findSession(token, accessToken);
    if (!session) return refuse(undefined, origin);
    const { tenantId, userId, sessionId } = session;
    // The finder of an old token must not be able to log out its owner everywhere.
    if (all && !session.mayEndOthers) return refuse(session, origin);
    const at = now();
    const ended = await database.inTenant(
      tenantId,
      async (transaction) => {
        const user = { kind: 'user', id: userId } as const;
        const logout = {
          at,
          event: 'logout',
          outcome: 'success',
          tenantId,
          actor: user,
          subject: user,
          origin,
        } as const;
        if (!all) {
          const count = await endSessions(transaction, { tenantId, sessionId }, at);
          // A repeated logout is not recorded.
          if (count > 0)
            await recordAudit(transaction, { ...logout, details: { session_id: sessionId, ended_sessions: count } });
          return count;
        }
        await lockUser(transaction, tenantId, userId);
        // For the same reason, a token of an ended session ends no other one.
        const alive = await transaction.session.count({
          where: { tenantId, id: sessionId, revokedAt: null, expiresAt: { gt: at } },
        });
        if (alive === 0) return undefined;
        const count = await endSessions(transaction, { tenantId, userId }, at);
        const details = { session_id: sessionId, ended_sessions: count, all: true };
        await recordAudit(transaction, { ...logout, details });
        return count;
      },
      { operation: 'end-sessions' },
    );
    if (ended === undefined) return refuse(session, origin);
    return { outcome: 'success', ended, tenantId, userId };
  };
}
