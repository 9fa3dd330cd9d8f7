import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { makeDataDirWithAccounts, type Portico, startPortico } from '../e2e/portico.ts';

const LAUNCHER = resolve(import.meta.dirname, '../../dist/start/main.js');

let dataDir: string;
beforeAll(async () => {
  dataDir = await makeDataDirWithAccounts();
});
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

/** Runs `portico-auth` the way `npm run portico-auth` does. */
function porticoAuth(words: string[], input = ''): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, [LAUNCHER, 'portico-auth', ...words], {
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', PORTICO_DATA_DIR: dataDir },
    stdio: 'pipe',
  });
  const written = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      written[name] += text;
    });
  child.stdin.end(input);
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, ...written })));
}

test('operators’ commands work on the embedded database, while Portico runs and while it does not', async () => {
  const before = await porticoAuth(['tenant', 'add', '7', 'before the start', '--json']);
  expect(before).toMatchObject({ code: 0, stdout: '{"id":7,"name":"before the start"}\n' });

  const portico: Portico = await startPortico({ dataDir, arguments: ['auth-service'] });
  try {
    expect(await porticoAuth(['user', 'add', '7', 'olga'], 'a password from standard input\n')).toMatchObject({
      code: 0,
    });
    const query = `mutation {
      auth_user_login(data: { username: "olga", password: "a password from standard input", tenant_id: 7 }) { success }
    }`;
    const response = await fetch(`${portico.authServiceUrl}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    });
    expect(await response.json()).toMatchObject({ data: { auth_user_login: { success: true } } });

    expect(await porticoAuth(['user', 'list', '8'])).toMatchObject({ code: 1, stdout: '' });
    expect(await porticoAuth(['user'])).toMatchObject({ code: 2, stdout: '' });
  } finally {
    await portico.stop();
  }
});
