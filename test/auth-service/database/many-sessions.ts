import type pg from 'pg';

/** `planOf` plans for ten times as many. */
export const SESSIONS = 100_000;
const USERS = SESSIONS / 5;
const TENANTS = 200;

/**
 * Sessions of a fifth as many users, half of them in tenant 1 and the others in two hundred; each with a refresh token.
 * One in ten has been revoked, one in a hundred ended long ago. Their ids grow, which keeps the indexes quick to fill.
 */
export async function addManySessions(client: pg.Client): Promise<void> {
  // Foreign keys are not looked up for each row, and nobody waits for the disk.
  await client.query('SET session_replication_role = replica; SET synchronous_commit = off');
  await client.query(`
    CREATE FUNCTION pg_temp.tenant_of(n int) RETURNS int LANGUAGE sql IMMUTABLE AS
      $$ SELECT CASE WHEN n % 2 = 0 THEN 1 ELSE 2 + n % ${TENANTS} END $$;
    CREATE FUNCTION pg_temp.id_of(n int) RETURNS uuid LANGUAGE sql IMMUTABLE AS
      $$ SELECT lpad(to_hex(n), 32, '0')::uuid $$;
    INSERT INTO tenants (id, name) SELECT n, 'tenant ' || n FROM generate_series(2, ${TENANTS + 1}) AS n;
    INSERT INTO users (tenant_id, id, username, password_hash, allowed_roles, default_role)
      SELECT pg_temp.tenant_of(n), pg_temp.id_of(n), 'user ' || n, 'none', '{user}', 'user'
      FROM generate_series(1, ${USERS}) AS n;
    INSERT INTO oauth_clients (tenant_id, id, name, secret_hash, allowed_roles, default_role, scopes, created_at)
      SELECT pg_temp.tenant_of(n), pg_temp.id_of(n), 'client', '', '{user}', 'user', '{}', now()
      FROM generate_series(1, 20000) AS n;
    INSERT INTO sessions (tenant_id, id, user_id, created_at, last_used_at, expires_at, revoked_at)
      SELECT pg_temp.tenant_of(n), pg_temp.id_of(n), pg_temp.id_of(n % ${USERS}), now(), now(),
        now() + interval '1 hour' * (n % 2000) - interval '20 days',
        CASE WHEN n % 10 = 0 THEN now() - interval '1 minute' * (n % 50000) END
      FROM generate_series(1, ${SESSIONS}) AS n;
    INSERT INTO refresh_tokens (tenant_id, hash, session_id, created_at, expires_at)
      SELECT pg_temp.tenant_of(n), decode(lpad(to_hex(n), 64, '0'), 'hex'), pg_temp.id_of(n), now(),
        now() + interval '1 hour' * (n % 2000) - interval '20 days'
      FROM generate_series(1, ${SESSIONS}) AS n;
    INSERT INTO revocations (tenant_id, session_id, written_by, until)
      SELECT pg_temp.tenant_of(n), pg_temp.id_of(n), n / 200, now() + interval '1 hour' * (n % 1000 - 200)
      FROM generate_series(1, ${USERS * 2}) AS n;
    INSERT INTO audit_log (tenant_id, id, at, event, outcome, actor_kind, subject_kind, subject_id)
      SELECT pg_temp.tenant_of(n), pg_temp.id_of(n), now(), CASE WHEN n % 5000 = 0 THEN 'logout' ELSE 'login' END,
        'success', 'user', 'user', pg_temp.id_of(n % 1000)
      FROM generate_series(1, ${USERS * 2}) AS n;
  `);
  await client.query('RESET session_replication_role');
  await client.query('ANALYZE');
}
