import type { Database } from '../database/index.ts';
import type { VerifyAccessToken } from '../tokens/index.ts';
import { type Account, accountFrom, TENANT_WITH_CLAIMS } from './account.ts';

/** A user with an access token of an active session. */
export interface AuthenticatedCaller {
  account: Account;
  sessionId: string;
}

export interface IdentifyCallerOptions {
  database: Database;
  verify: VerifyAccessToken;
  now(): Date;
}

export type IdentifyCaller = (accessToken: string | undefined) => Promise<AuthenticatedCaller | undefined>;

/**
 * Identifies the caller of an access token. Only the token counts, and nothing else in the request. Returns undefined if the
 * service did not issue it, if it has expired or its session has ended, or if the user or tenant is disabled.
 */
export function createIdentifyCaller({ database, verify, now }: IdentifyCallerOptions): IdentifyCaller {
  return async (accessToken) => {
    const at = now();
    const token = accessToken === undefined ? undefined : await verify(accessToken, at);
    if (!token?.sessionId) return undefined;
    const { tenantId, sessionId, subject } = token;
    const session = await database.inTenant(
      tenantId,
      (transaction) =>
        transaction.session.findUnique({
          where: { tenantId_id: { tenantId, id: sessionId } },
          include: { user: { include: TENANT_WITH_CLAIMS } },
          relationLoadStrategy: 'join',
        }),
      { operation: 'identify-caller' },
    );
    if (!session || session.userId !== subject || session.revokedAt || session.expiresAt <= at) return undefined;
    const account = accountFrom(session.user);
    return account && !account.disabled ? { account, sessionId } : undefined;
  };
}
