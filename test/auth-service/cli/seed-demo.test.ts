import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { type SeedOptions, seedDemo } from '../../../auth-service/cli/demo-data.ts';
import { connectToDatabase, openDatabase } from '../../../auth-service/database/index.ts';
import { createTestDatabase, preferredEngine, type TestDatabase } from '../../database/index.ts';
import { OPERATOR } from '../operator.ts';
import { runProgram } from '../process.ts';
import { environment } from '../service.ts';
import { testPasswords } from '../world.ts';

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase({ engine: preferredEngine() });
});
afterEach(() => database.drop());

/** Adds the demo data as the command does, without its process. @returns the reasons for what is not added. */
async function seed(options: SeedOptions = {}): Promise<readonly string[]> {
  const doors = openDatabase(database.url, { poolSize: 1 });
  try {
    return (await seedDemo(doors, testPasswords(database.url), OPERATOR, { withOperator: true, ...options })).skipped;
  } finally {
    await doors.close();
  }
}

async function runCommand(changes: Record<string, string> = {}, ...options: string[]) {
  const seeding = runProgram('cli/seed-demo.js', environment(database.url, changes), options);
  const code = await seeding.ended;
  return { code, stdout: seeding.stdout(), stderr: seeding.stderr() };
}

const UNSAFE = '--unsafe-public-passwords';
const PRODUCTION = { NODE_ENV: 'production', AUTH_DATABASE_LOGIN: 'trust' };

/** The rows of each statement, as JSON texts. */
async function query(statement: string): Promise<unknown[]> {
  const client = await connectToDatabase(database.url);
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}

const OPERATORS = 'SELECT tenant_id FROM oauth_clients';
const ACME = 'SELECT assignable_roles AS roles, assignable_claims AS claims FROM tenants WHERE id = 1';
const NOTHING = [{ roles: [], claims: [] }];
const DEMO_RIGHTS = [{ roles: ['user', 'manager', 'tenant_admin'], claims: ['x-hasura-department'] }];
const GIVE_NOTHING = "UPDATE tenants SET assignable_roles = '{}', assignable_claims = '{}' WHERE id = 1";

test('the operator with the public secret is added for a try', async () => {
  expect(await runCommand()).toMatchObject({ code: 0, stderr: '' });
  expect(await query(OPERATORS)).toEqual([{ tenant_id: 3 }]);
  expect(await query(ACME)).toEqual(DEMO_RIGHTS);
});

test('in production the operator is not added, and the reason is printed', async () => {
  const { code, stdout, stderr } = await runCommand(PRODUCTION, UNSAFE);
  expect(code).toBe(0);
  expect(stdout).toBe('seed-demo: 5 users added, tenants acme, globex\n');
  expect(stderr).toContain('seed-demo: no platform operator is added in production: its secret is public\n');
  expect(await query(OPERATORS)).toEqual([]);
});

test.each<[where: string, others: string, changes: Record<string, string>]>([
  ['in production', '', PRODUCTION],
  ['in a database with other tenants', "INSERT INTO tenants (id, name) VALUES (9, 'ours')", {}],
  ["in a database where a demo tenant's id is another's", "INSERT INTO tenants (id, name) VALUES (1, 'ours')", {}],
])('without the flag for public passwords no user is added %s', async (_where, others, changes) => {
  if (others !== '') await query(others);
  expect(await runCommand(changes)).toEqual({ code: 1, stdout: '', stderr: expect.stringContaining(UNSAFE) });
  expect(await query('SELECT username FROM users')).toEqual([]);
  expect(await query("SELECT id FROM tenants WHERE name <> 'ours'")).toEqual([]);
});

test('beside demo tenants no flag is needed', async () => {
  await seed();
  expect(await runCommand()).toMatchObject({ code: 0, stdout: expect.stringContaining('0 users added') });
});

test("customers' tenants with the ids of demo tenants get no user, no right and no operator", async () => {
  await query("INSERT INTO tenants (id, name) VALUES (1, 'first'), (2, 'second'), (3, 'third')");
  const { stdout, stderr } = await runCommand({}, '--from-earlier-version', UNSAFE);
  expect(stdout).toBe('seed-demo: 0 users added, tenants none\n');
  expect(stderr).toContain('tenant 3 is not "operations", or another tenant has that name: the platform operator is');
  expect(await query(OPERATORS)).toEqual([]);
  expect(await query('SELECT username FROM users')).toEqual([]);
  expect(await query(ACME)).toEqual(NOTHING);
});

test('where the tenant of operators has another id, the operator is not added', async () => {
  await query("INSERT INTO tenants (id, name) VALUES (7, 'operations')");
  expect(await seed()).toEqual([expect.stringContaining('the platform operator is not added')]);
  expect(await query(OPERATORS)).toEqual([]);
});

test('a deliberate "none" of what administrators may give stays', async () => {
  await seed();
  await query(GIVE_NOTHING);
  await seed();
  expect(await query(ACME)).toEqual(NOTHING);
});

test('demo tenants of an earlier version get what their administrators may give', async () => {
  await seed();
  await query(GIVE_NOTHING);
  await seed({ fromEarlierVersion: true });
  expect(await query(ACME)).toEqual(DEMO_RIGHTS);
});

test("a tenant with a demo tenant's id and name, but without its users, is not one of an earlier version", async () => {
  await query("INSERT INTO tenants (id, name) VALUES (1, 'acme')");
  await seed({ fromEarlierVersion: true });
  expect(await query(ACME)).toEqual(NOTHING);
});
