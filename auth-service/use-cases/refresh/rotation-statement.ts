import { createHash } from 'node:crypto';
import { networkOf } from '../../../platform/index.ts';
import { type AuditEntry, auditStatement, type EventOrigin } from '../../audit/index.ts';
import { Prisma } from '../../database/index.ts';
import { refreshTokenHash, sealSuccessor } from '../../tokens/index.ts';
import { ACCOUNT_COLUMNS, type AccountRow } from '../account.ts';
import type { SessionOfToken } from '../session-of-token.ts';

const HOUR_MS = 3_600_000;
const ORIGIN_DIGEST_BYTES = 16;

export interface RotationParameters {
  readonly session: SessionOfToken;
  readonly token: string;
  readonly successor: string;
  /** The idle end of the successor. */
  readonly successorEnd: Date;
  /** The expiry of the access token that is issued with it. */
  readonly accessEnd: Date;
  /** The number of the successor. */
  readonly generation: number;
  /** The entry for the audit log. */
  readonly entry: AuditEntry;
  /** Refreshes from one device are recorded in the audit log once in this many hours. 0 records each. */
  readonly auditHours: number;
}

/** `won`: whether this statement rotated the token, and not an earlier one. */
export type RotationRow = AccountRow & { won: boolean };

/**
 * Rotates a token unless it was rotated before. Returns a `RotationRow`, or no row if the session has ended or is disabled.
 *
 * This is one statement, since each one costs a round trip. Each part reads the results of the previous one, so they run in
 * this order. User and tenant are locked until the end, so that neither is disabled between the check and the new token. They
 * are always locked before the session's row, so that transactions that end sessions and those that refresh them do not
 * deadlock. If two requests race for one token, the second one waits for the lock of the session's row and then finds the token
 * used: PostgreSQL reads a row again that was changed meanwhile.
 *
 * `access_ends_at` never decreases. If the lifetime of access tokens has been reduced, an earlier token expires last, and a
 * revocation of the session has to last as long.
 *
 * The row of the previous token is deleted: its successor has been used now, and its reuse is detected without a row. Tokens
 * without a number are kept.
 */
export function rotationStatement(rotation: RotationParameters): Prisma.Sql {
  const { session, token, successor, successorEnd, accessEnd, generation, entry, auditHours } = rotation;
  const { at, origin } = entry;
  const from = originDigest(origin);
  const audited = auditStatement(
    entry,
    Prisma.sql`FROM won WHERE won.is_audited`,
    Prisma.sql`CASE WHEN won.refreshes_unaudited = 0 THEN '{}'::jsonb ELSE jsonb_build_object(
      'repeated', won.refreshes_unaudited + 1,
      'since', to_char(won.refresh_audited_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) END`,
  );
  return Prisma.sql`
    WITH ${lockedSession(session, at)}, won AS (
      UPDATE refresh_tokens
      SET used_at = ${at}::timestamptz, awaiting_answer = true, sealed_successor = ${sealSuccessor(successor, token)}
      FROM alive
      WHERE refresh_tokens.tenant_id = alive.tenant_id AND refresh_tokens.hash = ${session.tokenHash}
        AND refresh_tokens.used_at IS NULL
      RETURNING refresh_tokens.tenant_id, refresh_tokens.session_id, refresh_tokens.hash, alive.refreshes_unaudited,
        alive.refresh_audited_at, alive.refresh_audited_at IS NULL
          OR alive.refresh_audited_at <= ${lastAudit(at, auditHours)}::timestamptz
          OR alive.refresh_audited_from IS DISTINCT FROM ${from}::text AS is_audited
    ), rotated AS (
      UPDATE sessions
      SET last_used_at = ${at}::timestamptz,
        access_ends_at = GREATEST(sessions.access_ends_at, ${accessEnd}::timestamptz),
        refresh_generation = ${generation}::integer,
        refreshes_unaudited = CASE WHEN won.is_audited THEN 0 ELSE won.refreshes_unaudited + 1 END,
        refresh_audited_at = CASE WHEN won.is_audited THEN ${at}::timestamptz ELSE won.refresh_audited_at END,
        refresh_audited_from = CASE WHEN won.is_audited THEN ${from}::text ELSE sessions.refresh_audited_from END
      FROM won
      WHERE sessions.tenant_id = won.tenant_id AND sessions.id = won.session_id
    ), superseded AS (
      DELETE FROM refresh_tokens USING won
      WHERE refresh_tokens.tenant_id = won.tenant_id AND refresh_tokens.session_id = won.session_id
        AND refresh_tokens.hash <> won.hash AND refresh_tokens.generation IS NOT NULL
    ), successor AS (
      INSERT INTO refresh_tokens (tenant_id, hash, session_id, parent_hash, created_at, expires_at, generation)
      SELECT tenant_id, ${refreshTokenHash(successor)}, session_id, hash, ${at}::timestamptz,
        ${successorEnd}::timestamptz, ${generation}::integer
      FROM won
    ), audited AS (${audited})
    SELECT enabled.*, EXISTS (SELECT FROM won) AS won FROM enabled WHERE EXISTS (SELECT FROM alive)`;
}

/**
 * Returns an `AccountRow` with the session locked. Returns no row if the session has ended, or its user or tenant is disabled.
 */
export function lockSessionStatement(session: SessionOfToken, at: Date): Prisma.Sql {
  return Prisma.sql`
    WITH ${lockedSession(session, at)} SELECT enabled.* FROM enabled WHERE EXISTS (SELECT FROM alive)`;
}

/**
 * Two queries of a WITH clause that lock their rows: `enabled`, the account, and `alive`, its session. Both are empty if the
 * session has ended, or its user or tenant is disabled.
 */
function lockedSession({ tenantId, userId, sessionId }: SessionOfToken, at: Date): Prisma.Sql {
  return Prisma.sql`
    enabled AS (
      SELECT ${ACCOUNT_COLUMNS} FROM users JOIN tenants ON tenants.id = users.tenant_id
      WHERE users.tenant_id = ${tenantId} AND users.id = ${userId}::uuid
        AND users.disabled_at IS NULL AND tenants.disabled_at IS NULL
      FOR SHARE
    ), alive AS (
      SELECT sessions.tenant_id, sessions.id, sessions.refreshes_unaudited, sessions.refresh_audited_at,
        sessions.refresh_audited_from
      FROM sessions JOIN enabled ON sessions.tenant_id = enabled."tenantId" AND sessions.user_id = enabled.id
      WHERE sessions.tenant_id = ${tenantId} AND sessions.id = ${sessionId}::uuid
        AND sessions.revoked_at IS NULL AND sessions.expires_at > ${at}::timestamptz
      FOR NO KEY UPDATE OF sessions
    )`;
}

/** Returns the latest time of a recorded refresh after which the next one is recorded again. */
function lastAudit(at: Date, auditHours: number): Date {
  // A day in the future, since clocks of replicas differ and every refresh has to be recorded.
  return auditHours === 0 ? new Date(at.getTime() + 24 * HOUR_MS) : new Date(at.getTime() - auditHours * HOUR_MS);
}

/** Identifies a device in the audit log by its network and user agent. */
function originDigest({ address, userAgent }: EventOrigin): string {
  const place = JSON.stringify([address === null ? null : networkOf(address), userAgent]);
  return createHash('sha256').update(place).digest().subarray(0, ORIGIN_DIGEST_BYTES).toString('base64url');
}
