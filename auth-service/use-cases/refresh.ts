import type { Database, Transaction } from '../database/index.ts';
import { type AccessTokens, newRefreshToken, openSuccessor, refreshTokenHash, sealSuccessor } from '../tokens/index.ts';
import { type Account, findAccountById } from './account.ts';
import { endSessions } from './end-sessions.ts';
import { findSessionOfToken, type SessionOfToken } from './session-of-token.ts';
import type { SessionLifetime, Tokens } from './session-terms.ts';

const DAY_MS = 86_400_000;

export interface RefreshInput {
  refresh_token?: string | null;
}

export type RefreshResult =
  | { outcome: 'success'; tokens: Tokens; account: Account; sessionId: string }
  | { outcome: 'refused'; reason: { kind: 'missing-field'; field: 'refresh_token' } | { kind: 'token' } }
  /** The token had been exchanged long ago: somebody has a copy. The session is over. */
  | { outcome: 'reused'; tenantId: number; userId: string; sessionId: string };

export interface RefreshOptions {
  database: Database;
  accessTokens: AccessTokens;
  lifetime: SessionLifetime;
  now(): Date;
  randomBytes(size: number): Uint8Array;
}

export type Refresh = (input: RefreshInput) => Promise<RefreshResult>;

type Exchange =
  | { kind: 'exchanged'; account: Account; refreshToken: string }
  | { kind: 'refused' }
  | { kind: 'reused' };

/**
 * Trades a refresh token for an access token and the next refresh token.
 *
 * A token can be traded once. Browser tabs that wake up together all send the same one, and a reply may get lost, so
 * for a short grace time whoever sends it again is given the same successor, unless that one has been traded itself.
 * Any other second use means that the token was copied, and nobody can tell which of the two is its owner: the session
 * ends, and that end is committed although the caller is refused. (RFC 9700 section 4.14.2)
 */
export function createRefresh(options: RefreshOptions): Refresh {
  const { database, accessTokens, now } = options;

  return async ({ refresh_token: token }) => {
    if (token == null) return { outcome: 'refused', reason: { kind: 'missing-field', field: 'refresh_token' } };
    const at = now();
    const session = await findSessionOfToken(database, refreshTokenHash(token));
    if (!session || session.tokenExpiresAt <= at) return { outcome: 'refused', reason: { kind: 'token' } };

    const exchange = await database.$transaction((transaction) => trade(options, transaction, session, token, at));
    const { tenantId, userId, sessionId } = session;
    if (exchange.kind === 'reused') return { outcome: 'reused', tenantId, userId, sessionId };
    if (exchange.kind === 'refused') return { outcome: 'refused', reason: { kind: 'token' } };

    const { account, refreshToken } = exchange;
    const accessToken = accessTokens.issue({ ...account, sessionId }, at);
    const tokens = { accessToken, expiresIn: accessTokens.lifetimeSeconds, refreshToken };
    return { outcome: 'success', tokens, account, sessionId };
  };
}

async function trade(
  options: RefreshOptions,
  transaction: Transaction,
  session: SessionOfToken,
  token: string,
  at: Date,
): Promise<Exchange> {
  const { tenantId, userId, sessionId, tokenHash } = session;
  // Held until the end, so that nobody is disabled between the look at them and the new token. Always before the
  // session's row, which keeps those who end sessions and those who refresh them from waiting for each other.
  const enabled = await transaction.$queryRaw<unknown[]>`
    SELECT 1 FROM users JOIN tenants ON tenants.id = users.tenant_id
    WHERE users.tenant_id = ${tenantId} AND users.id = ${userId}::uuid
      AND users.disabled_at IS NULL AND tenants.disabled_at IS NULL
    FOR SHARE`;
  const account = enabled.length > 0 ? await findAccountById(transaction, tenantId, userId) : undefined;
  if (!account) return { kind: 'refused' };

  const accessEndsAt = new Date(at.getTime() + options.accessTokens.lifetimeSeconds * 1000);
  const { count: alive } = await transaction.session.updateMany({
    where: { tenantId, id: sessionId, revokedAt: null, expiresAt: { gt: at } },
    data: { lastUsedAt: at, accessEndsAt },
  });
  if (alive === 0) return { kind: 'refused' };

  const successor = newRefreshToken(options.randomBytes);
  const { count: won } = await transaction.refreshToken.updateMany({
    where: { tenantId, hash: tokenHash, usedAt: null },
    data: { usedAt: at, sealedSuccessor: sealSuccessor(successor, token) },
  });
  if (won === 1) {
    const idleEnd = at.getTime() + options.lifetime.idleDays * DAY_MS;
    const expiresAt = new Date(Math.min(idleEnd, session.expiresAt.getTime()));
    await transaction.refreshToken.create({
      data: {
        tenantId,
        hash: refreshTokenHash(successor),
        sessionId,
        parentHash: tokenHash,
        createdAt: at,
        expiresAt,
      },
    });
    return { kind: 'exchanged', account, refreshToken: successor };
  }

  const same = await successorInGrace(transaction, session, token, at, options.lifetime.graceSeconds);
  if (same !== undefined) return { kind: 'exchanged', account, refreshToken: same };
  await endSessions(transaction, { tenantId, sessionId }, at);
  return { kind: 'reused' };
}

/** What the token was traded for, if that was just now and the successor has not been traded yet. */
async function successorInGrace(
  transaction: Transaction,
  { tenantId, tokenHash }: SessionOfToken,
  token: string,
  at: Date,
  graceSeconds: number,
): Promise<string | undefined> {
  const used = await transaction.refreshToken.findUnique({ where: { tenantId_hash: { tenantId, hash: tokenHash } } });
  const successor = await transaction.refreshToken.findUnique({
    where: { tenantId_parentHash: { tenantId, parentHash: tokenHash } },
  });
  if (!used?.usedAt || !used.sealedSuccessor || !successor || successor.usedAt !== null) return undefined;
  if (at.getTime() - used.usedAt.getTime() > graceSeconds * 1000) return undefined;
  return openSuccessor(used.sealedSuccessor, token);
}
