import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Launched, launchPortico, makeDataDir, startPortico } from '../e2e/portico.ts';
import { allGone, childrenOf } from '../e2e/processes.ts';
import { isInstalled } from '../installed.ts';

const testPasted = isInstalled('curl', 'requests that npm start prints to copy and paste') ? test : test.skip;

const dataDir = makeDataDir();
/** The first start in a new data directory. */
let portico: Launched;
let url: string;
/** Of alice's login as soon as the gateway was ready. */
let firstStatus: number;
beforeAll(async () => {
  portico = launchPortico({ dataDir, ownProcessGroup: true });
  [, url = ''] = await portico.wrote(/^gateway is ready: (\S+)/m);
  while (!(await fetch(`${url}/readyz`)).ok) await sleep(5);
  firstStatus = await statusOfLogin({ username: 'alice', password: 'alice-acme-demo-pass', tenant_id: 1 });
  await portico.wrote(/Bearer \$TOKEN/);
});
afterAll(async () => {
  portico.process.kill();
  await portico.ended;
  rmSync(dataDir, { recursive: true, force: true });
});

async function statusOfLogin(credentials: object): Promise<number> {
  const response = await fetch(`${url}/api/rest/auth_user_login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(credentials),
  });
  return response.status;
}

describe('after npm start', () => {
  test('the demo accounts can log in as soon as the gateway is ready for the first time', () => {
    expect(firstStatus).toBe(200);
  });

  test('what I have to read fits on a screen', () => {
    const { stdout } = portico.output();
    const lines = stdout.slice(stdout.indexOf('Portico is ready')).trimEnd().split('\n');
    expect(lines.length).toBeLessThanOrEqual(20);
  });

  test('the console and the operator of the demo are shown, and are there', async () => {
    const [, page = ''] = /^Console: (\S+)/m.exec(portico.output().stdout) ?? [];
    expect(await (await fetch(page)).text()).toContain('<div id="console">');
    const [, id = '', secret = ''] = /^ {2}([0-9a-f-]{36}) +(\S+)$/m.exec(portico.output().stdout) ?? [];
    const body = new URLSearchParams({ grant_type: 'client_credentials', client_id: id, client_secret: secret });
    expect((await fetch(`${url}/oauth/token`, { method: 'POST', body })).status).toBe(200);
  });

  test('nothing is complained about', () => {
    expect(portico.output().stderr).toBe('');
  });

  test('a reload of the metadata is shown, which a developer waits for', async () => {
    process.kill(childrenOf(portico.process.pid).get('gateway') ?? 0, 'SIGHUP');
    await portico.wrote(/^gateway: metadata reloaded \(SIGHUP\)$/m);
  });

  testPasted('the login over REST works as it is pasted', () => {
    const answer = JSON.parse(pasted('Log in over REST:', 1));
    expect(answer.auth_user_login).toMatchObject({ success: true, data: { access_token: expect.any(String) } });
  });

  testPasted('the login over GraphQL works as it is pasted', () => {
    const answer = JSON.parse(pasted('Log in over GraphQL:', 1));
    expect(answer.data.auth_user_login).toMatchObject({ success: true, data: { access_token: expect.any(String) } });
  });

  testPasted("the query for alice's orders works as it is pasted", () => {
    const answer = JSON.parse(pasted('See the orders', 2));
    expect(answer.data.orders.map((order: { id: string }) => order.id)).toContain('acme-1002');
  });

  test('each demo account that is shown can log in, but for the disabled one', async () => {
    const shown = portico.output().stdout.match(/Demo accounts[^\n]*\n((?: {2}.*\n)+)/)?.[1] ?? '';
    let tenant = 0;
    for (const line of shown.trimEnd().split('\n')) {
      tenant = Number(line.match(/tenant (\d+)/)?.[1] ?? tenant);
      const [, username, password, rest] = line.match(/(\w+) +(\S+-demo-pass) +(.*)$/) ?? [];
      const status = await statusOfLogin({ username, password, tenant_id: tenant });
      expect([username, tenant, status]).toEqual([username, tenant, rest === 'disabled' ? 401 : 200]);
    }
    expect(tenant).toBe(2);
  });

  /** What the command lines below a heading print. */
  function pasted(heading: string, lines: number): string {
    const all = portico.output().stdout.split('\n');
    const at = all.findIndex((line) => line.startsWith(heading));
    return execFileSync('sh', ['-c', all.slice(at + 1, at + 1 + lines).join('\n')], { encoding: 'utf8' });
  }
});

describe('stopping', () => {
  // That SIGTERM does, `data-is-kept.test.ts` shows.
  test('Ctrl-C stops everything without a complaint, exit code 0', async () => {
    // The first try has stopped it.
    if (portico.process.exitCode !== null) portico = await startPortico({ dataDir, ownProcessGroup: true });
    const children = childrenOf(portico.process.pid);
    expect([...children.keys()].sort()).toEqual(['auth-service', 'embedded-database', 'gateway', 'orders']);
    // A terminal sends the signal to all processes of the group in the foreground.
    process.kill(-Number(portico.process.pid), 'SIGINT');
    const { code, stderr } = await portico.ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    await allGone(children.values());
  });

  test('a stop while it is still starting leaves nothing behind', async () => {
    const starting = launchPortico({ dataDir });
    await starting.wrote(/^opening the database/m);
    const children = childrenOf(starting.process.pid);
    starting.process.kill('SIGTERM');
    const { code, stdout, stderr } = await starting.ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).not.toContain('Portico is ready');
    await allGone(children.values());
  });
});
