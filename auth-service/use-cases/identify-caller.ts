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
 * The caller of an access token, by the token alone and nothing else in the request. Undefined when the service did not
 * issue it, it has expired, or its session, user or tenant has ended or is disabled.
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
