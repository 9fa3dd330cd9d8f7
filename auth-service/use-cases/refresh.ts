import { type Audit, type AuditEntry, auditStatement, type Origin, PLATFORM, recordAudit } from '../audit/index.ts';
import { type Database, Prisma, type Transaction } from '../database/index.ts';
import { type AccessTokens, newRefreshToken, openSuccessor, refreshTokenHash, sealSuccessor } from '../tokens/index.ts';
import { ACCOUNT_COLUMNS, type Account, type AccountRow, accountFromRow } from './account.ts';
import type { SpentToken } from './confirm-rotations.ts';
import { endSessions } from './end-sessions.ts';
import { findSessionOfToken, type SessionOfToken } from './session-of-token.ts';
import type { SessionLifetime, Tokens } from './session-terms.ts';

const DAY_MS = 86_400_000;

export interface RefreshInput {
  refresh_token?: string | null;
}

export type RefreshResult =
  /** `spent`: whose reply is to be confirmed when it has been delivered, see `ConfirmRotations`. */
  | { outcome: 'success'; tokens: Tokens; account: Account; sessionId: string; spent: SpentToken }
  | { outcome: 'refused'; reason: { kind: 'missing-field'; field: 'refresh_token' } | { kind: 'token' } }
  /** The token had been exchanged long ago: somebody has a copy. The session is over. */
  | { outcome: 'reused'; tenantId: number; userId: string; sessionId: string };

export interface RefreshOptions {
  database: Database;
  audit: Audit;
  accessTokens: AccessTokens;
  lifetime: SessionLifetime;
  now(): Date;
  randomBytes(size: number): Uint8Array;
}

export type Refresh = (input: RefreshInput, origin: Origin) => Promise<RefreshResult>;

type Exchange =
  | { kind: 'exchanged'; account: Account; refreshToken: string }
  | { kind: 'refused' }
  | { kind: 'reused' };

/**
 * Trades a refresh token for an access token and the next refresh token.
 *
 * A token can be traded once. Browser tabs that wake up together all send the same one, and a reply may get lost. So
 * a token may be sent again, for the same successor, until that successor has been traded itself: without a limit while
 * the reply is not known to have been delivered, since a client that was not answered has no other token, and for a
 * short grace time from then on. Any other second use means that the token was copied, and nobody can tell which of the
 * two is its owner: the session ends, and that end is committed although the caller is refused. (RFC 9700 section 4.14.2)
 */
export function createRefresh(options: RefreshOptions): Refresh {
  const { database, audit, accessTokens, now } = options;

  return async ({ refresh_token: token }, origin) => {
    if (token == null) return { outcome: 'refused', reason: { kind: 'missing-field', field: 'refresh_token' } };
    const at = now();
    const session = await findSessionOfToken(database, refreshTokenHash(token));
    if (!session || session.tokenExpiresAt <= at) {
      await audit.noteRepeatable(refusal(at, session, session ? 'expired' : 'unknown-token', origin));
      return { outcome: 'refused', reason: { kind: 'token' } };
    }

    const moment = { at, origin };
    const exchange =
      (await trade(options, session, token, moment)) ??
      (await database.inTenant(session.tenantId, (transaction) =>
        tradeAgain(options, transaction, session, token, moment),
      ));
    const { tenantId, userId, sessionId } = session;
    if (exchange.kind === 'reused') return { outcome: 'reused', tenantId, userId, sessionId };
    if (exchange.kind === 'refused') {
      await audit.noteRepeatable(refusal(at, session, 'ended', origin));
      return { outcome: 'refused', reason: { kind: 'token' } };
    }

    const { account, refreshToken } = exchange;
    const accessToken = accessTokens.issue({ ...account, sessionId }, at);
    const tokens = { accessToken, expiresIn: accessTokens.lifetimeSeconds, refreshToken };
    const spent = { tenantId, tokenHash: session.tokenHash };
    return { outcome: 'success', tokens, account, sessionId, spent };
  };
}

/** When a token was sent, and from where. */
interface Moment {
  readonly at: Date;
  readonly origin: Origin;
}

/** Whoever sends such a token can do so over and over. */
function refusal(at: Date, session: SessionOfToken | undefined, reason: string, origin: Origin): AuditEntry {
  const refused = { at, event: 'refresh', outcome: 'refused', actor: { kind: 'unknown' }, origin } as const;
  if (!session) return { ...refused, tenantId: PLATFORM, details: { reason } };
  const { tenantId, userId, sessionId } = session;
  return { ...refused, tenantId, subject: { kind: 'user', id: userId }, details: { reason, session_id: sessionId } };
}

/** Undefined when the token had been traded before. */
async function trade(
  options: RefreshOptions,
  session: SessionOfToken,
  token: string,
  moment: Moment,
): Promise<Exchange | undefined> {
  const successor = newRefreshToken(options.randomBytes);
  const statement = tradeStatement(options, session, { token, successor }, moment);
  const [state] = await options.database.single.inTenant<TradedRow>(session.tenantId, statement);
  if (!state) return { kind: 'refused' };
  const { won, ...row } = state;
  return won ? { kind: 'exchanged', account: accountFromRow(row), refreshToken: successor } : undefined;
}

/**
 * The token had been traded when `trade` looked. What that was, and what follows from it, is decided with the session's
 * row in hand: none of it may change before it is over.
 */
async function tradeAgain(
  options: RefreshOptions,
  transaction: Transaction,
  session: SessionOfToken,
  token: string,
  moment: Moment,
): Promise<Exchange> {
  const { tenantId, sessionId } = session;
  const { at } = moment;
  const successor = newRefreshToken(options.randomBytes);
  const statement = tradeStatement(options, session, { token, successor }, moment);
  const [state] = await transaction.$queryRaw<TradedRow[]>(statement);
  if (!state) return { kind: 'refused' };
  const { won, ...row } = state;
  const account = accountFromRow(row);
  if (won) return { kind: 'exchanged', account, refreshToken: successor };

  const same = await successorInGrace(transaction, session, token, at, options.lifetime.graceSeconds);
  const refreshed = refreshEntry(session, moment);
  if (same !== undefined) {
    await recordAudit(transaction, { ...refreshed, details: { session_id: sessionId, again: true } });
    return { kind: 'exchanged', account, refreshToken: same };
  }
  const ended = await endSessions(transaction, { tenantId, sessionId }, at);
  await recordAudit(transaction, {
    ...refreshed,
    event: 'refresh.reuse',
    outcome: 'refused',
    // Its owner, or who has the copy.
    actor: { kind: 'unknown' },
    details: { session_id: sessionId, ended_sessions: ended },
  });
  return { kind: 'reused' };
}

function refreshEntry({ tenantId, userId, sessionId }: SessionOfToken, { at, origin }: Moment): AuditEntry {
  const user = { kind: 'user', id: userId } as const;
  const details = { session_id: sessionId };
  return { at, event: 'refresh', outcome: 'success', tenantId, actor: user, subject: user, origin, details };
}

interface UsedToken {
  /** When the reply was sent; while it is awaited, when the token was. */
  readonly usedAt: Date;
  readonly awaitingAnswer: boolean;
  readonly sealedSuccessor: Uint8Array<ArrayBuffer>;
}

type TradedRow = AccountRow & { won: boolean };

/**
 * Trades the token, unless it has been. A `TradedRow`, or none when the session is over or somebody is disabled.
 *
 * One statement, because each one costs a way to the database; each part works on what the one before it gives, so they
 * are done in this order. User and tenant are held until the end, so that nobody is disabled between the look at them
 * and the new token, and always before the session's row, which keeps those who end sessions and those who refresh
 * them from waiting for each other. Of two that race for one token, the second waits at the session's row and then
 * finds the token used: PostgreSQL looks again at a row that was changed meanwhile.
 */
function tradeStatement(
  { accessTokens, lifetime }: RefreshOptions,
  session: SessionOfToken,
  { token, successor }: { token: string; successor: string },
  moment: Moment,
): Prisma.Sql {
  const { tenantId, userId, sessionId, tokenHash, expiresAt: sessionEnd } = session;
  const { at } = moment;
  const accessEnd = new Date(at.getTime() + accessTokens.lifetimeSeconds * 1000);
  const idleEnd = at.getTime() + lifetime.idleDays * DAY_MS;
  const expiresAt = new Date(Math.min(idleEnd, sessionEnd.getTime()));
  return Prisma.sql`
    WITH enabled AS (
      SELECT ${ACCOUNT_COLUMNS} FROM users JOIN tenants ON tenants.id = users.tenant_id
      WHERE users.tenant_id = ${tenantId} AND users.id = ${userId}::uuid
        AND users.disabled_at IS NULL AND tenants.disabled_at IS NULL
      FOR SHARE
    ), alive AS (
      UPDATE sessions SET last_used_at = ${at}::timestamptz, access_ends_at = ${accessEnd}::timestamptz
      FROM enabled
      WHERE sessions.tenant_id = enabled."tenantId" AND sessions.user_id = enabled.id AND sessions.id = ${sessionId}::uuid
        AND sessions.revoked_at IS NULL AND sessions.expires_at > ${at}::timestamptz
      RETURNING sessions.tenant_id, sessions.id
    ), won AS (
      UPDATE refresh_tokens
      SET used_at = ${at}::timestamptz, awaiting_answer = true, sealed_successor = ${sealSuccessor(successor, token)}
      FROM alive
      WHERE refresh_tokens.tenant_id = alive.tenant_id AND refresh_tokens.hash = ${tokenHash}
        AND refresh_tokens.used_at IS NULL
      RETURNING refresh_tokens.tenant_id, refresh_tokens.session_id, refresh_tokens.hash
    ), successor AS (
      INSERT INTO refresh_tokens (tenant_id, hash, session_id, parent_hash, created_at, expires_at)
      SELECT tenant_id, ${refreshTokenHash(successor)}, session_id, hash, ${at}::timestamptz, ${expiresAt}::timestamptz
      FROM won
    ), audited AS (${auditStatement(refreshEntry(session, moment), Prisma.sql`FROM won`)})
    SELECT enabled.*, EXISTS (SELECT FROM won) AS won FROM enabled WHERE EXISTS (SELECT FROM alive)`;
}

/**
 * What the token was traded for, if its reply was not delivered or was just now, and the successor has not been traded
 * yet. Without a grace time only requests that came at the same time are forgiven.
 */
async function successorInGrace(
  transaction: Transaction,
  { tenantId, tokenHash }: SessionOfToken,
  token: string,
  at: Date,
  graceSeconds: number,
): Promise<string | undefined> {
  const [used] = await transaction.$queryRaw<UsedToken[]>`
    SELECT used.used_at AS "usedAt", used.awaiting_answer AS "awaitingAnswer", used.sealed_successor AS "sealedSuccessor"
    FROM refresh_tokens AS used
    JOIN refresh_tokens AS successor ON successor.tenant_id = used.tenant_id AND successor.parent_hash = used.hash
    WHERE used.tenant_id = ${tenantId} AND used.hash = ${tokenHash}
      AND used.used_at IS NOT NULL AND used.sealed_successor IS NOT NULL AND successor.used_at IS NULL`;
  if (!used) return undefined;
  const isLost = used.awaitingAnswer && graceSeconds > 0;
  if (!isLost && at.getTime() - used.usedAt.getTime() > graceSeconds * 1000) return undefined;
  return openSuccessor(used.sealedSuccessor, token);
}
