import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from '@jest/globals';
import { launchPortico, makeDataDirWithDatabase } from '../e2e/portico.ts';

const dataDir = await makeDataDirWithDatabase();
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

test('the demo accounts can log in as soon as the gateway is ready for the first time', async () => {
  const portico = launchPortico({ dataDir });
  const [, url] = await portico.wrote(/^gateway is ready: (\S+)/m);
  while (!(await fetch(`${url}/readyz`)).ok) await sleep(5);
  const response = await fetch(`${url}/api/rest/auth_user_login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'alice', password: 'alice-acme-demo-pass', tenant_id: 1 }),
  });
  expect(response.status).toBe(200);
  portico.process.kill('SIGTERM');
  expect(await portico.ended).toMatchObject({ code: 0 });
});
