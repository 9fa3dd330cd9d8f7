import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { connectToDatabase } from '../../auth-service/database/index.ts';
import { createTestDatabase, type TestDatabase } from '../database/index.ts';
import { launchPortico, makeDataDir, type Portico, startPortico } from '../e2e/portico.ts';

const dataDir = makeDataDir();
let database: TestDatabase;
let portico: Portico;
let environment: NodeJS.ProcessEnv;
beforeAll(async () => {
  database = await createTestDatabase({ engine: 'pglite', migrated: false });
  environment = { DATABASE_URL: database.url };
  portico = await startPortico({ environment, dataDir });
});
afterAll(async () => {
  await portico.stop();
  await database.drop();
  rmSync(dataDir, { recursive: true, force: true });
});

async function statusOfAlicesLogin(): Promise<number> {
  const response = await fetch(`${portico.url}/api/rest/auth_user_login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'alice', password: 'alice-acme-demo-pass', tenant_id: 1 }),
  });
  return response.status;
}

test('with DATABASE_URL that one is used, and no other is started', () => {
  expect(portico.output().stdout).not.toMatch(/the database in/);
  expect(existsSync(join(portico.dataDir, 'postgres/portico-demo-data'))).toBe(false);
});

test('no demo accounts are created in my database, and the command for it is printed', async () => {
  expect(await statusOfAlicesLogin()).toBe(401);
  await portico.wrote(/no demo accounts were created\. Run `npm run seed:demo`/);
});

test('when I ask for the demo accounts they are there at once, and asking again does no harm', async () => {
  for (let time = 1; time <= 2; time++) {
    const seeding = launchPortico({ dataDir: portico.dataDir, environment, arguments: ['seed-demo'] });
    expect(await seeding.ended).toMatchObject({ code: 0, stderr: '' });
  }
  expect(await statusOfAlicesLogin()).toBe(200);
});

test('beside tenants of mine they are only added when I accept public passwords', async () => {
  const client = await connectToDatabase(database.url);
  await client.query("INSERT INTO tenants (id, name) VALUES (9, 'mine')");
  await client.end();
  const seed = (...flags: string[]) =>
    launchPortico({ dataDir: portico.dataDir, environment, arguments: ['seed-demo', ...flags] }).ended;
  const refused = await seed();
  expect([refused.code, refused.stdout + refused.stderr]).toEqual([
    1,
    expect.stringContaining('only added with --unsafe-public-passwords'),
  ]);
  expect(await seed('--unsafe-public-passwords')).toMatchObject({ code: 0 });
});
