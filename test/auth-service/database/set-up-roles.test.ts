import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { scramVerifier } from '../../../auth-service/database/change-roles.ts';
import { migrate, setUpRoles } from '../../../auth-service/database/index.ts';
import { openJobs } from '../../../gateway/jobs/engine/index.ts';
import { createLogger } from '../../../platform/index.ts';
import { availableEngines, createTestDatabase, type TestDatabase } from '../../database/index.ts';
import { freePort } from '../../gateway/harness/index.ts';
import { runProgram } from '../process.ts';
import { environment, startTestService } from '../service.ts';
import { until } from '../until.ts';

const suffix = randomBytes(4).toString('hex');
const OWNER = `portico_test_owner_${suffix}`;
const SERVICE = `portico_test_service_${suffix}`;

/** Undoes the migration `…_backups`, so that there is something to migrate. */
const DROP_BACKUP_POLICIES = `
  DO $$ DECLARE name text; BEGIN
    FOR name IN SELECT tablename FROM pg_policies WHERE policyname = 'backup' AND tablename <> 'audit_log' LOOP
      EXECUTE format('DROP POLICY backup ON %I', name);
    END LOOP;
  END $$`;

/** PostgreSQL 17's manual, section 53.2: SCRAM-SHA-256$<iterations>:<salt>$<stored key>:<server key>. */
test('a password is sent to the server as a verifier only', () => {
  // The exchange of RFC 7677 section 3: user "user", password "pencil".
  const verifier = scramVerifier('pencil', Buffer.from('W22ZaJ0SNY7soEsUEjb6gQ==', 'base64'));
  expect(verifier).toBe(
    'SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=:wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU=',
  );
});

// Roles belong to the server, and the embedded database has one session for all.
const describeOnPostgres = (await availableEngines()).includes('postgres') ? describe : describe.skip;

describeOnPostgres.each([
  ['a new database', false],
  ['a database that a superuser has owned until now', true],
])('after the set-up of the roles in %s', (_which, existed) => {
  let database: TestDatabase;
  let urls: { admin: string; owner: string; service: string };
  let attacker: pg.Client;

  const as = (user: string) => {
    const url = new URL(database.url);
    url.username = user;
    url.password = `${user}-password`;
    return url.href;
  };

  beforeAll(async () => {
    database = await createTestDatabase({ engine: 'postgres', migrated: false });
    urls = { admin: database.url, owner: as(OWNER), service: as(SERVICE) };
    if (existed) {
      await migrate(database.url);
      await query(database.url, "INSERT INTO tenants (id, name) VALUES (1, 'acme'), (2, 'globex')");
    }
    const { applied } = await setUpRoles(urls);
    expect(applied.length > 0).toBe(!existed);
    if (!existed) await query(database.url, "INSERT INTO tenants (id, name) VALUES (1, 'acme'), (2, 'globex')");
    attacker = new pg.Client({ connectionString: urls.service });
    await attacker.connect();
  });
  afterAll(async () => {
    await attacker.end();
    await query(
      database.url,
      `DROP OWNED BY ${SERVICE}; REASSIGN OWNED BY ${OWNER} TO CURRENT_USER; DROP OWNED BY ${OWNER}`,
    );
    await query(database.url, `DROP ROLE ${SERVICE}; DROP ROLE ${OWNER}`);
    await database.drop();
  });

  /** Runs what somebody sends who can send any SQL in a transaction that is for tenant 1. */
  async function injected(...statements: string[]): Promise<unknown[]> {
    await attacker.query("BEGIN; SET LOCAL portico.tenant_id = '1'; SET LOCAL portico.across_tenants = ''");
    try {
      for (const statement of statements) await attacker.query(statement);
      return (await attacker.query('SELECT name FROM tenants ORDER BY id')).rows.map(({ name }) => name);
    } finally {
      await attacker.query('ROLLBACK; RESET ALL; RESET SESSION AUTHORIZATION');
    }
  }

  test('a transaction sees the rows of its tenant', async () => {
    expect(await injected()).toEqual(['acme']);
  });

  test.each([
    ['RESET ROLE'],
    ['SET ROLE NONE'],
    ['RESET SESSION AUTHORIZATION'],
    ['SET SESSION AUTHORIZATION DEFAULT'],
  ])('%s leads to no more rows', async (statement) => {
    expect(await injected(statement)).toEqual(['acme']);
  });

  test.each([
    ['SET row_security = off'],
    [`SET ROLE ${OWNER}`],
    ['SET ROLE postgres'],
    ['SET ROLE portico_service'],
    ['SET SESSION AUTHORIZATION postgres'],
    ['ALTER TABLE tenants DISABLE ROW LEVEL SECURITY'],
    ['ALTER TABLE tenants NO FORCE ROW LEVEL SECURITY'],
    ['DROP POLICY tenant ON tenants'],
    ['CREATE POLICY everything ON tenants USING (true)'],
    [`ALTER TABLE tenants OWNER TO ${SERVICE}`],
    [`ALTER ROLE ${SERVICE} SUPERUSER`],
    [`ALTER ROLE ${SERVICE} BYPASSRLS`],
    [`GRANT ${OWNER} TO ${SERVICE}`],
    ['CREATE ROLE somebody SUPERUSER'],
    ['CREATE TABLE copies (id int)'],
    ['CREATE FUNCTION copies() RETURNS int LANGUAGE sql SECURITY DEFINER AS $$ SELECT 1 $$'],
    ['TRUNCATE audit_log'],
    ['DELETE FROM audit_log'],
    ["UPDATE audit_log SET event = 'nothing'"],
    ["SET portico.across_tenants = 'audit-retention'", 'DELETE FROM audit_log'],
    ['DELETE FROM _prisma_migrations'],
    ["COPY tenants TO PROGRAM 'cat'"],
    ["SELECT pg_read_file('/etc/passwd')"],
    ['SELECT rolpassword FROM pg_authid'],
  ])('%s is refused', async (...statements) => {
    const refused = injected(...statements.filter((statement) => statement !== undefined));
    await expect(refused).rejects.toMatchObject({ code: expect.stringMatching(/^(42501|42P17|22023)$/) });
  });

  test('injected SQL can name another tenant, and has no more rights than the service itself', async () => {
    // The policies guard against a forgotten condition. What guards against injected SQL is that no text of a caller
    // becomes part of a statement.
    expect(await injected("SELECT set_config('portico.tenant_id', '2', true)")).toEqual(['globex']);
  });

  test('the service starts, without a right to change a table', async () => {
    const service = await startTestService(urls.service, {
      AUTH_UNSAFE_DATABASE_SUPERUSER: 'false',
      NODE_ENV: 'production',
    });
    expect((await service.login({ username: 'nobody', password: 'nothing', tenant_id: 1 })).status).toBe(200);
    expect(service.logs()).not.toContain('superuser');
    await service.stop();
  });

  test('it can be repeated', async () => {
    expect(await setUpRoles(urls)).toEqual({ owner: OWNER, service: SERVICE, applied: [] });
    expect(await injected()).toEqual(['acme']);
  });

  // Each is a process or two: once is enough.
  if (!existed) {
    test('a service that starts before the set-up of its version waits for it, and is not ready meanwhile', async () => {
      await query(database.url, "DELETE FROM _prisma_migrations WHERE migration_name LIKE '%_backups'");
      await query(database.url, DROP_BACKUP_POLICIES);
      const port = await freePort();
      const settings = { AUTH_DATABASE_WAIT_SECONDS: '60', AUTH_PORT: String(port), AUTH_LOG_LEVEL: 'info' };
      const service = runProgram('main.js', environment(urls.service, settings));
      const waits = () => service.stdout().match(/waiting for pending migrations/g)?.length;
      await Promise.race([until('it waits', () => waits() !== undefined), service.ready]);
      const readiness = async () => {
        const response = await fetch(`http://127.0.0.1:${port}/readyz`);
        return { status: response.status, body: await response.json() };
      };
      await until('it listens', () =>
        readiness().then(
          () => true,
          () => false,
        ),
      );
      expect(await readiness()).toMatchObject({
        status: 503,
        body: { ready: false, checks: { migrations: 'pending' } },
      });
      expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);

      expect((await setUpRoles(urls)).applied).toEqual([expect.stringMatching(/_backups$/)]);
      expect(await service.ready).toBe(port);
      expect((await readiness()).status).toBe(200);
      expect(waits()).toBe(1);
      service.child.kill('SIGTERM');
      expect(await service.ended).toBe(0);
    });

    test('a service that has waited in vain ends, and names what is missing', async () => {
      await query(database.url, "DELETE FROM _prisma_migrations WHERE migration_name LIKE '%_backups'");
      const settings = { AUTH_DATABASE_WAIT_SECONDS: '1' };
      const { ended, stderr, stdout } = runProgram('main.js', environment(urls.service, settings));
      expect(await ended).toBe(1);
      expect(stderr()).toMatch(
        /DATABASE_URL: the database lacks 1 migrations, and this user may not change its schema/,
      );
      expect(stdout()).toContain('waiting for pending migrations');
    });

    test('a service that waits ends when it is asked to', async () => {
      const service = runProgram('main.js', environment(urls.service, { AUTH_DATABASE_WAIT_SECONDS: '600' }));
      await until('it waits', () => service.stdout().includes('waiting for pending migrations'));
      service.child.kill('SIGTERM');
      expect(await service.ended).toBe(0);
    });
  }

  test('migrations that come later are the owner’s', async () => {
    await query(database.url, "DELETE FROM _prisma_migrations WHERE migration_name LIKE '%_backups'");
    await expect(migrate(urls.service)).rejects.toThrow(
      /^DATABASE_URL: the database lacks 1 migrations, and this user may not change its schema: run "portico-auth database setup"/,
    );
    await query(database.url, DROP_BACKUP_POLICIES);
    const [name] = await migrate(urls.service, { ownerUrl: urls.owner });
    expect(name).toMatch(/_backups$/);
    expect(await injected()).toEqual(['acme']);
  });
});

describeOnPostgres('the user and the database of jobs', () => {
  const JOBS = `portico_test_jobs_${suffix}`;
  let database: TestDatabase;
  let urls: { admin: string; owner: string; service: string; jobs: string };
  const as = (user: string) => {
    const url = new URL(database.url);
    url.username = user;
    url.password = `${user}-password`;
    return url;
  };
  beforeAll(async () => {
    database = await createTestDatabase({ engine: 'postgres', migrated: false });
    const jobs = as(JOBS);
    jobs.pathname = `/${JOBS}`;
    urls = { admin: database.url, owner: as(OWNER).href, service: as(SERVICE).href, jobs: jobs.href };
    // As in an installation of a version without jobs, whose volume stays.
    const { jobs: _, ...before } = urls;
    await setUpRoles(before);
  });
  afterAll(async () => {
    await query(database.url, `DROP DATABASE IF EXISTS ${JOBS} (FORCE)`);
    await query(
      database.url,
      `DROP OWNED BY ${SERVICE}; REASSIGN OWNED BY ${OWNER} TO CURRENT_USER; DROP OWNED BY ${OWNER}`,
    );
    await query(database.url, `DROP ROLE ${SERVICE}; DROP ROLE ${OWNER}; DROP ROLE IF EXISTS ${JOBS}`);
    await database.drop();
  });

  test('are made where they are missing, by several at once, and nothing is lost when it is repeated', async () => {
    const results = await Promise.all([setUpRoles(urls), setUpRoles(urls), setUpRoles(urls)]);
    expect(results.map(({ jobs }) => jobs)).toEqual([JOBS, JOBS, JOBS]);
    // Whatever the server's template has.
    const own =
      'SELECT pg_encoding_to_char(encoding) AS encoding, datcollate FROM pg_database WHERE datname = current_database()';
    expect(await query(urls.jobs, own)).toEqual([{ encoding: 'UTF8', datcollate: 'C' }]);
    const jobs = openJobs({
      url: urls.jobs,
      mode: 'accept',
      slots: 1,
      leaseMs: 30_000,
      retentionDays: 7,
      deadRetentionDays: 30,
      telemetry: { tracer: undefined },
      log: createLogger('gateway', 'silent'),
    });
    const { id } = await jobs.enqueue({ kind: 'work', queue: 'one', maxAttempts: 1, payload: null });
    await setUpRoles(urls);
    expect((await jobs.admin.list({}, 10)).map((job) => job.id)).toEqual([id]);
    await jobs.stop(0);
  });

  test.each([
    ['CREATE ROLE somebody'],
    ['CREATE DATABASE somebody'],
    [`SET ROLE ${OWNER}`],
    [`SET ROLE ${SERVICE}`],
    ["COPY (SELECT 1) TO PROGRAM 'cat'"],
    ["SELECT pg_read_file('/etc/passwd')"],
    ['SELECT rolpassword FROM pg_authid'],
  ])('an attacker with the password cannot run %s', async (statement) => {
    await expect(query(urls.jobs, statement)).rejects.toMatchObject({ code: '42501' });
  });

  test('an attacker with one password reads nothing in the other database', async () => {
    const elsewhere = (url: string, other: string) => {
      const changed = new URL(url);
      changed.pathname = new URL(other).pathname;
      return changed.href;
    };
    const denied = expect.objectContaining({ code: '42501' });
    await expect(query(elsewhere(urls.jobs, database.url), 'SELECT * FROM users')).rejects.toEqual(denied);
    await expect(query(elsewhere(urls.jobs, database.url), 'CREATE TABLE copies (id int)')).rejects.toEqual(denied);
    const cannotConnect = async () => {
      for (const url of [urls.service, urls.owner])
        await expect(query(elsewhere(url, urls.jobs), 'SELECT 1')).rejects.toEqual(denied);
    };
    await cannotConnect();
    // As when a run is killed after it has made the database.
    await query(database.url, `GRANT CONNECT, TEMPORARY ON DATABASE ${JOBS} TO PUBLIC`);
    await setUpRoles(urls);
    await cannotConnect();
  });

  test('are a user and a database of their own', async () => {
    await expect(setUpRoles({ ...urls, jobs: as(JOBS).href })).rejects.toThrow(/jobs require a database other than/);
    for (const user of [OWNER, SERVICE]) {
      const jobs = as(user);
      jobs.pathname = `/${JOBS}`;
      await expect(setUpRoles({ ...urls, jobs: jobs.href })).rejects.toThrow('jobs require a separate database user');
    }
  });
});

describeOnPostgres('a database user that is above row-level security', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase({ engine: 'postgres' });
  });
  afterAll(() => database.drop());

  const settings = { AUTH_UNSAFE_DATABASE_SUPERUSER: 'false' };

  test('is said loudly in development', async () => {
    const service = await startTestService(database.url, settings);
    await service.stop();
    expect(service.logs()).toMatch(/"level":"warn"[^\n]*"event":"database\.user_unrestricted"/);
  });

  test('is refused in production, before anything is changed', async () => {
    const url = `${database.url}?password=none`;
    const { ended, stderr } = runProgram('main.js', { ...environment(url, settings), NODE_ENV: 'production' });
    expect(await ended).toBe(1);
    expect(stderr()).toMatch(
      /^auth-service: DATABASE_URL: the database user "postgres" is a superuser .*run "portico-auth database setup".*AUTH_UNSAFE_DATABASE_SUPERUSER=true\n$/,
    );
  });

  test('may not be one of the users that are set up', async () => {
    const urls = { admin: database.url, owner: database.url, service: database.url };
    await expect(setUpRoles(urls)).rejects.toThrow('must be three different database users');
  });
});

describeOnPostgres('an administrator who is no superuser, as in a managed PostgreSQL', () => {
  const [admin, owner, service] = ['admin', 'owner2', 'service2'].map((name) => `portico_test_${name}_${suffix}`);
  let database: TestDatabase;
  const as = (user = '') => {
    const url = new URL(database.url);
    url.username = user;
    return url.href;
  };
  beforeAll(async () => {
    database = await createTestDatabase({ engine: 'postgres', migrated: false });
    const name = new URL(database.url).pathname.slice(1);
    await query(database.url, `CREATE ROLE ${admin} LOGIN CREATEROLE; ALTER DATABASE ${name} OWNER TO ${admin}`);
    await migrate(as(admin));
  });
  afterAll(async () => {
    for (const role of [service, owner, admin])
      await query(database.url, `REASSIGN OWNED BY ${role} TO CURRENT_USER; DROP OWNED BY ${role}; DROP ROLE ${role}`);
    await database.drop();
  });

  test('can set the roles up, and do so again', async () => {
    const urls = { admin: as(admin), owner: as(owner), service: as(service) };
    for (let time = 1; time <= 2; time += 1) expect(await setUpRoles(urls)).toEqual({ owner, service, applied: [] });
  });

  test('can make the database of jobs where it may make databases, and give rights to one that it made itself', async () => {
    const urls = { admin: as(admin), owner: as(owner), service: as(service) };
    const [made, given] = ['made', 'given'].map((name) => `portico_test_jobs_${name}_${suffix}`);
    const jobs = (name = '') => ({ ...urls, jobs: as(name).replace(/[^/]*$/, name) });
    try {
      await expect(setUpRoles(jobs(made))).rejects.toThrow(/permission denied to create database/);
      await query(database.url, `ALTER ROLE ${admin} CREATEDB`);
      expect(await setUpRoles(jobs(made))).toMatchObject({ jobs: made });
      await query(urls.admin, `CREATE DATABASE ${given}`);
      expect(await setUpRoles(jobs(given))).toMatchObject({ jobs: given });
      for (const name of [made, given]) await query(jobs(name).jobs, 'CREATE SCHEMA portico_jobs');
    } finally {
      for (const name of [made, given]) {
        await query(database.url, `DROP DATABASE IF EXISTS ${name}`);
        await query(database.url, `DROP ROLE IF EXISTS ${name}`);
      }
    }
  });

  test('is logged when the service’s user can become the owner', async () => {
    const urls = { admin: as(admin), owner: as(owner), service: as(service) };
    await query(database.url, `GRANT ${owner} TO ${service}`);
    await expect(setUpRoles(urls)).rejects.toThrow(/may take on a role that owns the tables: revoke that membership/);
    await query(database.url, `REVOKE ${owner} FROM ${service}`);
  });
});

async function query(url: string, text: string): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}
