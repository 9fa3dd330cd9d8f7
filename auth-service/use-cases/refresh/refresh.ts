import { DAY_MS } from '../../../platform/index.ts';
import { type Audit, type AuditEntry, type EventOrigin, PLATFORM, recordAudit } from '../../audit/index.ts';
import type { Database, Transaction } from '../../database/index.ts';
import { type AccessTokens, openSuccessor, type RefreshTokens } from '../../tokens/index.ts';
import { type Account, type AccountRow, accountFromRow } from '../account.ts';
import { endSessions } from '../end-sessions.ts';
import { findSessionOfToken, type SessionOfToken } from '../session-of-token.ts';
import type { SessionLifetime, Tokens } from '../session-terms.ts';
import type { SpentToken } from './confirm-rotations.ts';
import { lockSessionStatement, type RotationRow, rotationStatement } from './rotation-statement.ts';

export interface RefreshInput {
  refresh_token?: string | null;
}

export type RefreshResult =
  /** `spent`: the token whose response has to be confirmed after its delivery, see `ConfirmRotations`. */
  | { outcome: 'success'; tokens: Tokens; account: Account; sessionId: string; spent: SpentToken }
  | { outcome: 'refused'; reason: { kind: 'missing-field'; field: 'refresh_token' } | { kind: 'token' } }
  /** The token was rotated long ago, so there is a copy of it. The session has ended. `ended` is 0 if it had ended before. */
  | { outcome: 'reused'; tenantId: number; userId: string; sessionId: string; ended: number };

export interface RefreshOptions {
  database: Database;
  audit: Audit;
  accessTokens: AccessTokens;
  refreshTokens: RefreshTokens;
  lifetime: SessionLifetime;
  /** Refreshes of a session from one device are recorded in the audit log once in this many hours. 0 records each. */
  auditHours: number;
  now(): Date;
}

export type Refresh = (input: RefreshInput, origin: EventOrigin) => Promise<RefreshResult>;

type Rotation =
  | { kind: 'rotated'; account: Account; refreshToken: string }
  | { kind: 'refused' }
  | { kind: 'reused'; ended: number };

/**
 * Rotates a refresh token: issues an access token and the next refresh token.
 *
 * A token can be rotated once. But browser tabs that wake up together all send the same one, and a response may get lost. A
 * token may therefore be sent again and returns the same successor, until that successor has been rotated itself. While the
 * response is not known to have been delivered, there is no time limit, since the client has no other token. Afterwards there
 * is a short grace time.
 *
 * Any other second use is reuse: the token was copied, and the service cannot tell who its owner is. The session ends, and this
 * is committed although the caller is refused. (RFC 9700 section 4.14.2)
 */
export function createRefresh(options: RefreshOptions): Refresh {
  const { database, audit, accessTokens, now } = options;

  return async ({ refresh_token: token }, origin) => {
    if (token == null) return { outcome: 'refused', reason: { kind: 'missing-field', field: 'refresh_token' } };
    const at = now();
    const session = await findSessionOfToken(options, token);
    if (!session || session.tokenExpiresAt <= at) {
      await audit.recordDeduplicated(refusalEntry(at, session, session ? 'expired' : 'unknown-token', origin));
      return { outcome: 'refused', reason: { kind: 'token' } };
    }

    const requestInfo = { at, origin };
    const rotation =
      (session.isSuperseded ? undefined : await rotate(options, session, token, requestInfo)) ??
      (await database.inTenant(
        session.tenantId,
        (transaction) => resolveReuse(options, transaction, session, token, requestInfo),
        { operation: 'resolve-reuse' },
      ));
    const { tenantId, userId, sessionId } = session;
    if (rotation.kind === 'reused') return { outcome: 'reused', tenantId, userId, sessionId, ended: rotation.ended };
    if (rotation.kind === 'refused') {
      await audit.recordDeduplicated(refusalEntry(at, session, 'ended', origin));
      return { outcome: 'refused', reason: { kind: 'token' } };
    }

    const { account, refreshToken } = rotation;
    const issued = accessTokens.issue({ ...account, sessionId, sessionEndsAt: session.expiresAt }, at);
    const tokens = { ...issued, refreshToken };
    const spent = { tenantId, tokenHash: session.tokenHash };
    return { outcome: 'success', tokens, account, sessionId, spent };
  };
}

/** The time and origin of the request. */
interface RequestInfo {
  readonly at: Date;
  readonly origin: EventOrigin;
}

/**
 * Returns the audit entry of a refused refresh. A caller can send such a token any number of times, so entries are
 * deduplicated.
 */
function refusalEntry(at: Date, session: SessionOfToken | undefined, reason: string, origin: EventOrigin): AuditEntry {
  const refused = { at, event: 'refresh', outcome: 'refused', actor: { kind: 'unknown' }, origin } as const;
  if (!session) return { ...refused, tenantId: PLATFORM, details: { reason } };
  const { tenantId, userId, sessionId } = session;
  return { ...refused, tenantId, subject: { kind: 'user', id: userId }, details: { reason, session_id: sessionId } };
}

/** Rotates a token. Returns undefined if it was rotated before. */
async function rotate(
  { database, accessTokens, refreshTokens, lifetime, auditHours }: RefreshOptions,
  session: SessionOfToken,
  token: string,
  requestInfo: RequestInfo,
): Promise<Rotation | undefined> {
  const { tenantId, sessionId } = session;
  const generation = refreshTokens.nextGeneration(session.generation);
  const successor = refreshTokens.issue({ tenantId, sessionId, generation });
  const idleEnd = requestInfo.at.getTime() + lifetime.idleDays * DAY_MS;
  const statement = rotationStatement({
    session,
    token,
    successor,
    successorEnd: new Date(Math.min(idleEnd, session.expiresAt.getTime())),
    accessEnd: accessTokens.endOf(requestInfo.at, session.expiresAt),
    generation,
    entry: refreshEntry(session, requestInfo),
    auditHours,
  });
  const [state] = await database.single.inTenant<RotationRow>(tenantId, statement, 'rotate-refresh-token');
  if (!state) return { kind: 'refused' };
  const { won, ...row } = state;
  return won ? { kind: 'rotated', account: accountFromRow(row), refreshToken: successor } : undefined;
}

/**
 * Handles a token that was rotated before. Returns its successor within the grace time, and otherwise ends the session. The
 * session's row is locked meanwhile. (RFC 9700 section 4.14.2)
 */
async function resolveReuse(
  { accessTokens, lifetime }: RefreshOptions,
  transaction: Transaction,
  session: SessionOfToken,
  token: string,
  requestInfo: RequestInfo,
): Promise<Rotation> {
  const { tenantId, sessionId } = session;
  const { at } = requestInfo;
  const [row] = await transaction.$queryRaw<AccountRow[]>(lockSessionStatement(session, at));
  if (!row) return { kind: 'refused' };

  const same = await successorInGrace(transaction, session, token, at, lifetime.graceSeconds);
  const refreshed = refreshEntry(session, requestInfo);
  if (same !== undefined) {
    const accessEnd = accessTokens.endOf(at, session.expiresAt);
    await transaction.$executeRaw`
      UPDATE sessions
      SET last_used_at = ${at}::timestamptz, access_ends_at = GREATEST(access_ends_at, ${accessEnd}::timestamptz)
      WHERE tenant_id = ${tenantId} AND id = ${sessionId}::uuid`;
    await recordAudit(transaction, { ...refreshed, details: { session_id: sessionId, again: true } });
    return { kind: 'rotated', account: accountFromRow(row), refreshToken: same };
  }
  const ended = await endSessions(transaction, { tenantId, sessionId }, at);
  await recordAudit(transaction, {
    ...refreshed,
    event: 'refresh.reuse',
    outcome: 'refused',
    // Either the owner, or the holder of the copy.
    actor: { kind: 'unknown' },
    details: { session_id: sessionId, ended_sessions: ended },
  });
  return { kind: 'reused', ended };
}

function refreshEntry({ tenantId, userId, sessionId }: SessionOfToken, { at, origin }: RequestInfo): AuditEntry {
  const user = { kind: 'user', id: userId } as const;
  const details = { session_id: sessionId };
  return { at, event: 'refresh', outcome: 'success', tenantId, actor: user, subject: user, origin, details };
}

interface UsedToken {
  /** When the response was sent. Until then, when the token was sent. */
  readonly usedAt: Date;
  readonly awaitingAnswer: boolean;
  readonly sealedSuccessor: Uint8Array<ArrayBuffer>;
}

/**
 * Returns the successor of a rotated token if its response was not delivered or was delivered only just now, and the successor
 * has not been rotated yet. Without a grace time, only concurrent requests get it.
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
