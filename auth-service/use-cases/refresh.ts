import { type Audit, type AuditEntry, type Origin, PLATFORM, recordAudit } from '../audit/index.ts';
import type { Database, Transaction } from '../database/index.ts';
import { type AccessTokens, openSuccessor, type RefreshTokens } from '../tokens/index.ts';
import { type Account, type AccountRow, accountFromRow } from './account.ts';
import type { SpentToken } from './confirm-rotations.ts';
import { endSessions } from './end-sessions.ts';
import { lockSessionStatement, type RotationRow, rotationStatement } from './rotation-statement.ts';
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
  refreshTokens: RefreshTokens;
  lifetime: SessionLifetime;
  /** A session's refreshes from one place are written down once in so many hours; 0: each. */
  auditHours: number;
  now(): Date;
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
    const session = await findSessionOfToken(options, token);
    if (!session || session.tokenExpiresAt <= at) {
      await audit.noteRepeatable(refusal(at, session, session ? 'expired' : 'unknown-token', origin));
      return { outcome: 'refused', reason: { kind: 'token' } };
    }

    const moment = { at, origin };
    const exchange =
      (session.isSuperseded ? undefined : await rotate(options, session, token, moment)) ??
      (await database.inTenant(session.tenantId, (transaction) =>
        resolveReuse(options, transaction, session, token, moment),
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

/** Undefined when the token had been exchanged before. */
async function rotate(
  { database, accessTokens, refreshTokens, lifetime, auditHours }: RefreshOptions,
  session: SessionOfToken,
  token: string,
  moment: Moment,
): Promise<Exchange | undefined> {
  const { tenantId, sessionId } = session;
  const generation = refreshTokens.nextGeneration(session.generation);
  const successor = refreshTokens.issue({ tenantId, sessionId, generation });
  const idleEnd = moment.at.getTime() + lifetime.idleDays * DAY_MS;
  const statement = rotationStatement({
    session,
    token,
    successor,
    successorEnd: new Date(Math.min(idleEnd, session.expiresAt.getTime())),
    accessEnd: accessEndAfter(accessTokens, moment.at),
    generation,
    entry: refreshEntry(session, moment),
    auditHours,
  });
  const [state] = await database.single.inTenant<RotationRow>(tenantId, statement);
  if (!state) return { kind: 'refused' };
  const { won, ...row } = state;
  return won ? { kind: 'exchanged', account: accountFromRow(row), refreshToken: successor } : undefined;
}

/**
 * The token has been exchanged before. How long ago that was, and what follows from it, is decided with the session's row
 * in hand: none of it may change before it is over. (RFC 9700 section 4.14.2)
 */
async function resolveReuse(
  { accessTokens, lifetime }: RefreshOptions,
  transaction: Transaction,
  session: SessionOfToken,
  token: string,
  moment: Moment,
): Promise<Exchange> {
  const { tenantId, sessionId } = session;
  const { at } = moment;
  const [row] = await transaction.$queryRaw<AccountRow[]>(lockSessionStatement(session, at));
  if (!row) return { kind: 'refused' };

  const same = await successorInGrace(transaction, session, token, at, lifetime.graceSeconds);
  const refreshed = refreshEntry(session, moment);
  if (same !== undefined) {
    await transaction.session.update({
      where: { tenantId_id: { tenantId, id: sessionId } },
      data: { lastUsedAt: at, accessEndsAt: accessEndAfter(accessTokens, at) },
    });
    await recordAudit(transaction, { ...refreshed, details: { session_id: sessionId, again: true } });
    return { kind: 'exchanged', account: accountFromRow(row), refreshToken: same };
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

function accessEndAfter({ lifetimeSeconds }: AccessTokens, at: Date): Date {
  return new Date(at.getTime() + lifetimeSeconds * 1000);
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
    JOIN refresh_tokens AS successor ON successor.tenant_id = used.tenant_id
      AND successor.session_id = used.session_id AND successor.parent_hash = used.hash
    WHERE used.tenant_id = ${tenantId} AND used.hash = ${tokenHash}
      AND used.used_at IS NOT NULL AND used.sealed_successor IS NOT NULL AND successor.used_at IS NULL`;
  if (!used) return undefined;
  const isLost = used.awaitingAnswer && graceSeconds > 0;
  if (!isLost && at.getTime() - used.usedAt.getTime() > graceSeconds * 1000) return undefined;
  return openSuccessor(used.sealedSuccessor, token);
}
