import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type pg from 'pg';
import { changeSchemaOwner } from '../../../auth-service/database/change-schema-owner.ts';
import { connectToDatabase } from '../../../auth-service/database/index.ts';
import { createTestDatabase, type TestDatabase } from '../../database/index.ts';

/** A name that means something else when it is not quoted. */
const OWNER = 'Portico-Owner';

// The embedded database is PostgreSQL 18, where who makes a role may grant it and not take it on. It has one session for
// all, so what set-up does before and after by other connections is not here.
let database: TestDatabase;
let admin: pg.Client;

beforeEach(async () => {
  database = await createTestDatabase({ engine: 'pglite' });
  admin = await connectToDatabase(database.url);
  await admin.query(`
    CREATE ROLE administrator LOGIN CREATEROLE;
    ALTER DATABASE postgres OWNER TO administrator;
    DO $$ DECLARE name text; BEGIN
      FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' LOOP
        EXECUTE format('ALTER TABLE %I OWNER TO administrator', name);
      END LOOP;
      FOR name IN SELECT oid::regprocedure FROM pg_proc WHERE pronamespace = 'public'::regnamespace LOOP
        EXECUTE format('ALTER ROUTINE %s OWNER TO administrator', name);
      END LOOP;
      FOR name IN SELECT oid::regtype FROM pg_type WHERE typnamespace = 'public'::regnamespace AND typtype = 'e' LOOP
        EXECUTE format('ALTER TYPE %s OWNER TO administrator', name);
      END LOOP;
    END $$`);
});
afterEach(async () => {
  await admin.end();
  await database.drop();
});

/** From here on, since the embedded database does not find back from it. */
async function becomeAdministrator(): Promise<void> {
  await admin.query('SET SESSION AUTHORIZATION administrator');
  await admin.query(`CREATE ROLE "${OWNER}" LOGIN`);
}

async function owners(): Promise<unknown[]> {
  const { rows } = await admin.query(`
    SELECT DISTINCT pg_get_userbyid(owner) AS owner FROM (
      SELECT relowner FROM pg_class WHERE relnamespace = 'public'::regnamespace
      UNION SELECT proowner FROM pg_proc WHERE pronamespace = 'public'::regnamespace
      UNION SELECT typowner FROM pg_type WHERE typnamespace = 'public'::regnamespace
      UNION SELECT nspowner FROM pg_namespace WHERE nspname = 'public') AS objects (owner)
    ORDER BY 1`);
  return rows.map(({ owner }) => owner);
}

test('on PostgreSQL 16 and later an administrator who is no superuser gives the tables to a role that it made', async () => {
  const { rows } = await admin.query("SELECT current_setting('server_version_num')::int AS version");
  expect(rows[0]?.version).toBeGreaterThanOrEqual(160_000);
  expect(await owners()).toEqual(['administrator', 'pg_database_owner']);
  await becomeAdministrator();
  for (let time = 1; time <= 2; time += 1) {
    await changeSchemaOwner(admin, OWNER);
    expect(await owners()).toEqual([OWNER]);
  }
});

test('what cannot be given is named', async () => {
  await admin.query('CREATE TABLE somebody_elses (id int)');
  await becomeAdministrator();
  await expect(changeSchemaOwner(admin, OWNER)).rejects.toThrow(
    `AUTH_DATABASE_ADMIN_URL: TABLE somebody_elses cannot be given to "${OWNER}": must be owner of table somebody_elses`,
  );
});
