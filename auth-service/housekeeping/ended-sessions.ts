import { addDays } from '../../platform/index.ts';
import type { Database } from '../database/index.ts';
import type { Sweep } from './sweep.ts';

/** Rows are kept for longer than necessary, so that no running request, and no replica with a slow clock, misses one. */
const MARGIN_DAYS = 1;

/**
 * Removes refresh tokens, sessions and revocations that no request can need any more.
 *
 * A rotated refresh token is kept until it would have expired: a copy of it may be sent until then, and its row detects the
 * reuse. Sessions are kept for `keepEndedDays` after their end, for investigations. Signing keys are not included: reading them
 * removes those that have ended.
 */
export function endedSessionSweeps(database: Database, keepEndedDays: number): readonly Sweep[] {
  return [
    { name: 'refresh_tokens', sweep: (at, limit) => sweepExpiredTokens(database, addDays(at, -MARGIN_DAYS), limit) },
    {
      name: 'refresh_tokens_of_ended_sessions',
      sweep: (at, limit) => sweepTokensOfEnded(database, addDays(at, -keepEndedDays), limit),
    },
    { name: 'sessions', sweep: (at, limit) => sweepSessions(database, addDays(at, -keepEndedDays), limit) },
    { name: 'revocations', sweep: (at, limit) => sweepRevocations(database, addDays(at, -MARGIN_DAYS), limit) },
  ];
}

/**
 * Deletes rows by their physical location (`ctid`), so that no plan scans the whole table. The rows are locked, so that their
 * location does not change (see DELETE in PostgreSQL's manual, on deleting in batches).
 */
function sweepExpiredTokens(database: Database, before: Date, limit: number): Promise<number> {
  return database.acrossTenants(
    'housekeeping',
    (transaction) => transaction.$executeRaw`
      DELETE FROM refresh_tokens WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM refresh_tokens WHERE expires_at < ${before}
        ORDER BY expires_at LIMIT ${limit} FOR UPDATE SKIP LOCKED))`,
    { operation: 'housekeeping' },
  );
}

/** Runs before the sweep of sessions: a session may have thousands of tokens, and a single statement would remove them all. */
function sweepTokensOfEnded(database: Database, before: Date, limit: number): Promise<number> {
  return database.acrossTenants(
    'housekeeping',
    (transaction) => transaction.$executeRaw`
      DELETE FROM refresh_tokens WHERE ctid = ANY (ARRAY(
        SELECT token.ctid FROM sessions AS session
        JOIN refresh_tokens AS token ON token.tenant_id = session.tenant_id AND token.session_id = session.id
        WHERE session.revoked_at < ${before}
        ORDER BY session.revoked_at LIMIT ${limit} FOR UPDATE OF token SKIP LOCKED))`,
    { operation: 'housekeeping' },
  );
}

async function sweepSessions(database: Database, before: Date, limit: number): Promise<number> {
  return database.acrossTenants(
    'housekeeping',
    async (transaction) => {
      const expired = await transaction.$executeRaw`
      DELETE FROM sessions WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM sessions AS session WHERE expires_at < ${before} AND NOT EXISTS (
          SELECT 1 FROM refresh_tokens AS token
          WHERE token.tenant_id = session.tenant_id AND token.session_id = session.id)
        ORDER BY expires_at LIMIT ${limit} FOR UPDATE SKIP LOCKED))`;
      const revoked = await transaction.$executeRaw`
      DELETE FROM sessions WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM sessions AS session WHERE revoked_at < ${before} AND NOT EXISTS (
          SELECT 1 FROM refresh_tokens AS token
          WHERE token.tenant_id = session.tenant_id AND token.session_id = session.id)
        ORDER BY revoked_at LIMIT ${limit - expired} FOR UPDATE SKIP LOCKED))`;
      return expired + revoked;
    },
    { operation: 'housekeeping' },
  );
}

function sweepRevocations(database: Database, before: Date, limit: number): Promise<number> {
  return database.acrossTenants(
    'housekeeping',
    (transaction) => transaction.$executeRaw`
      DELETE FROM revocations WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM revocations WHERE until < ${before}
        ORDER BY until LIMIT ${limit} FOR UPDATE SKIP LOCKED))`,
    { operation: 'housekeeping' },
  );
}
