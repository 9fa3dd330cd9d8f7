import type { Database } from '../database/index.ts';
import type { VerifyAccessToken } from '../tokens/index.ts';
import { type Account, accountFrom, TENANT_WITH_CLAIMS } from './account.ts';

/** A user who has shown an access token of a session that is still alive. */
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
 * Whose access token this is, by the token itself and nothing that stands beside it in the request. Undefined when it
 * is none of ours, has ended, or its session, user or tenant is not alive any more.
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
