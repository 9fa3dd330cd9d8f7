import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { makeDataDirWithAccounts, type Portico, startPortico } from '../e2e/portico.ts';
import { allGone, childrenOf } from '../e2e/processes.ts';

const dataDir = await makeDataDirWithAccounts();
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

let portico: Portico;
let children: Map<string, number>;
beforeAll(async () => {
  await makeDemoDataOld();
  await start();
});
afterAll(() => portico.stop());

const demoRecord = join(dataDir, 'postgres/portico-demo-data');

/** What an earlier version left: its record, and no operator. */
async function makeDemoDataOld() {
  writeFileSync(demoRecord, 'The demo tenants and users have been put into this database.\n');
  const database = await PGlite.create(join(dataDir, 'postgres'));
  await database.exec('DELETE FROM oauth_clients');
  await database.close();
}

async function start() {
  portico = await startPortico({ dataDir });
  children = childrenOf(portico.process.pid);
}

interface Answer {
  data: Record<string, unknown>;
  auth_user_login: { data: { access_token: string } };
}

async function call(query: string): Promise<Record<string, unknown>> {
  const login = await post('/api/rest/auth_user_login', {
    username: 'alice',
    password: 'alice-acme-demo-pass',
    tenant_id: 1,
  });
  const { access_token } = login.auth_user_login.data;
  return (await post('/v1/graphql', { query }, { authorization: `Bearer ${access_token}` })).data;
}

async function post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  const response = await fetch(portico.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return (await response.json()) as Answer;
}

const placed: string[] = [];

async function placeAnOrder() {
  const item = `order ${placed.length + 1}`;
  expect(await call(`mutation { placeOrder(item: "${item}", quantity: 1) { item } }`)).toEqual({
    placeOrder: { item },
  });
  placed.push(item);
}

async function expectEverythingThere() {
  const { orders } = (await call('{ orders { item } }')) as { orders: { item: string }[] };
  expect(orders.map(({ item }) => item)).toEqual(expect.arrayContaining(placed));
}

test('demo data of an earlier version is completed once: the operator that the start prints is there', async () => {
  const token = await fetch(`${portico.url}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: '7c0e4c5e-94f6-4d0e-8d2a-0d9a3f1c5b6e',
      client_secret: 'operator-demo-secret',
    }),
  });
  expect(token.status).toBe(200);
  expect(portico.output().stdout).toContain('adding the demo data');
  expect(portico.output().stderr).toBe('');
  expect(readFileSync(demoRecord, 'utf8')).toContain('version 2');

  await placeAnOrder();
});

test('SIGTERM stops everything without a complaint, exit code 0', async () => {
  // The first try has stopped it.
  if (portico.process.exitCode !== null) await start();
  expect([...children.keys()].sort()).toEqual(['auth-service', 'embedded-database', 'gateway', 'orders']);
  const { code, stderr } = await portico.stop();
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  await allGone(children.values());
});

test('accounts and orders are there again after a stop, and are not added another time', async () => {
  await start();
  expect(portico.output().stdout).not.toContain('adding the demo data');
  expect(portico.output().stdout).not.toContain('creating the database');
  await expectEverythingThere();
});

test('when the launcher is killed, the services notice and stop, the database too', async () => {
  await placeAnOrder();
  await portico.stop('SIGKILL');
  await allGone(children.values());
});

test('accounts and orders are there again after that', async () => {
  await start();
  expect(portico.output().stderr).toBe('');
  await expectEverythingThere();
});

test('accounts and orders are there again after everything was killed at once', async () => {
  await placeAnOrder();
  for (const pid of [portico.process.pid, ...children.values()]) process.kill(Number(pid), 'SIGKILL');
  await allGone(children.values());
  await start();
  expect(portico.output().stderr).toBe('');
  await expectEverythingThere();
});
