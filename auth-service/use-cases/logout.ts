import type { Database } from '../database/index.ts';
import { refreshTokenHash } from '../tokens/index.ts';
import { endSessions, lockUser } from './end-sessions.ts';
import type { IdentifyCaller } from './identify-caller.ts';
import { findSessionOfToken } from './session-of-token.ts';

export interface LogoutInput {
  refresh_token?: string | null;
  /** Every session of the user, on whatever device. */
  all?: boolean | null;
}

export type LogoutResult =
  | { outcome: 'success'; ended: number; tenantId: number; userId: string }
  | { outcome: 'refused'; reason: 'no-token' | 'token' };

export interface LogoutOptions {
  database: Database;
  identifyCaller: IdentifyCaller;
  now(): Date;
}

export type Logout = (input: LogoutInput, accessToken: string | undefined) => Promise<LogoutResult>;

interface Place {
  tenantId: number;
  userId: string;
  sessionId: string;
}

/**
 * Ends the session of a refresh token, or of an access token when no refresh token is sent; or all sessions of its user.
 * A refresh token that is not of the user whose access token comes with it is as good as unknown.
 */
export function createLogout({ database, identifyCaller, now }: LogoutOptions): Logout {
  async function findSession(token: string | null | undefined, accessToken: string | undefined) {
    const caller = await identifyCaller(accessToken);
    const bearer: Place | undefined = caller && { ...caller.account, sessionId: caller.sessionId };
    if (token == null) return bearer;
    const named = await findSessionOfToken(database, refreshTokenHash(token));
    if (!named || named.tokenExpiresAt <= now()) return undefined;
    const isAnothers = bearer && (bearer.tenantId !== named.tenantId || bearer.userId !== named.userId);
    return isAnothers ? undefined : named;
  }

  return async ({ refresh_token: token, all }, accessToken) => {
    if (token == null && accessToken === undefined) return { outcome: 'refused', reason: 'no-token' };
    const session = await findSession(token, accessToken);
    if (!session) return { outcome: 'refused', reason: 'token' };
    const { tenantId, userId, sessionId } = session;
    const at = now();
    const ended = await database.$transaction(async (transaction) => {
      if (!all) return endSessions(transaction, { tenantId, sessionId }, at);
      await lockUser(transaction, tenantId, userId);
      // A token of a session that is over ends no other one: whoever found an old one must not log its owner out.
      const alive = await transaction.session.count({
        where: { tenantId, id: sessionId, revokedAt: null, expiresAt: { gt: at } },
      });
      return alive === 0 ? undefined : endSessions(transaction, { tenantId, userId }, at);
    });
    if (ended === undefined) return { outcome: 'refused', reason: 'token' };
    return { outcome: 'success', ended, tenantId, userId };
  };
}
