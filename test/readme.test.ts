import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Portico, startPortico } from './e2e/portico.ts';
import { isInstalled } from './installed.ts';
import { pageBlocks, sectionBlocks } from './readme-blocks.ts';

const PACKAGE_DIR = resolve('.');
const CALLING = 'docs/calling.md';
const testWithCurl = isInstalled('curl', 'the requests that the pages show') ? test : test.skip;

let portico: Portico | undefined;
beforeAll(async () => {
  portico = await startPortico();
});
afterAll(async () => {
  await portico?.stop();
});

/** The only way in which the text is changed: addresses are those of free ports, and `npx portico` is this package's. */
function adapted(block: string): string {
  const { url = '', authServiceUrl = '', ordersUrl = '' } = portico ?? {};
  return block
    .replaceAll('http://127.0.0.1:8080', url)
    .replaceAll('http://127.0.0.1:4001', authServiceUrl)
    .replaceAll('http://127.0.0.1:4010', ordersUrl)
    .replaceAll('npx portico ', `node '${join(PACKAGE_DIR, 'gateway/portico.mjs')}' `);
}

const MARK = '--- next block ---';

/** Runs blocks in one shell, in which the variables of one are there for the next. @returns what each has printed. */
async function run(blocks: readonly string[]): Promise<readonly string[]> {
  const script = blocks.map(adapted).join(`\necho; echo '${MARK}'\n`);
  // The package's metadata is there, and what the commands write does not get into the package.
  const cwd = mkdtempSync(join(tmpdir(), 'portico-readme-'));
  symlinkSync(join(PACKAGE_DIR, 'metadata'), join(cwd, 'metadata'));
  try {
    const { stdout } = await promisify(execFile)('bash', ['-eo', 'pipefail', '-c', script], { cwd });
    return stdout.split(`\n${MARK}\n`);
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}

testWithCurl('what the README shows works as it is written', async () => {
  const [calls = ''] = await run(sectionBlocks('README.md', '## Try it'));
  expect(calls).toMatch(/^\{"data":\{"orders":\[\{"id":"acme-/);
});

testWithCurl('what callers are shown works as it is written, from the login to the logout', async () => {
  const login = sectionBlocks(CALLING, '## Log in');
  const call = sectionBlocks(CALLING, '## Call');
  const stay = sectionBlocks(CALLING, '## Stay logged in, log out');
  expect([login.length, call.length, stay.length]).toEqual([2, 1, 1]);

  const [overRest = '', overGraphql = '', calls = '', session = ''] = await run([...login, ...call, ...stay]);
  const tokens = { access_token: expect.any(String), expires_in: 900, refresh_token: expect.any(String) };
  expect(JSON.parse(overRest)).toEqual({
    auth_user_login: { success: true, error_message: null, data: tokens },
  });
  expect(JSON.parse(overGraphql)).toMatchObject({ data: { auth_user_login: { data: tokens } } });
  expect(calls).toMatch(/^\{"data":\{"orders":\[\{"id":"acme-/);
  expect(calls).toContain('"orders":[{"id":"acme-1001"');
  expect(calls).toContain('id,item,quantity,status,placed_at');
  expect(session).toMatch(/"auth_token_refresh":\{"success":true,.*"access_token"/);
  expect(session).toMatch(/"auth_user_logout":\{"success":true/);
});

test('the answer that is shown has the shape of the true one', () => {
  const shown = readFileSync(CALLING, 'utf8').match(/^```json\n(.*?)^```$/ms)?.[1] ?? '';
  const { auth_user_login: login } = JSON.parse(shown);
  expect(Object.keys(login)).toEqual(['success', 'error_message', 'data']);
  expect(Object.keys(login.data)).toEqual(['access_token', 'expires_in', 'refresh_token']);
});

test('what teams are shown works as it is written', async () => {
  const blocks = sectionBlocks('docs/metadata.md', '## Begin and check');
  expect(blocks.length).toBe(2);
  const [ownMetadata = '', thisMetadata = ''] = await run(blocks);
  expect(ownMetadata).toContain('my-metadata/remote_schemas.yaml');
  expect(ownMetadata).toContain('the metadata is valid');
  expect(thisMetadata).toContain('query orders');
  expect(thisMetadata).toContain('the metadata is valid');
});

test('the session of docs/clients.md refreshes once for all requests whose token is refused', async () => {
  const module = adapted(
    pageBlocks('docs/clients.md', 'js').find((block) => block.startsWith('// src/session.js')) ?? '',
  );
  const directory = mkdtempSync(join(tmpdir(), 'portico-session-'));
  try {
    writeFileSync(join(directory, 'session.mjs'), module);
    const {
      isLoggedIn,
      logIn,
      run: send,
      subscribe,
    } = await import(pathToFileURL(join(directory, 'session.mjs')).href);
    await expect(send('{ orders { id } }')).rejects.toThrow('log in first');
    await expect(logIn('alice', 'wrong', 1)).rejects.toThrow();
    await logIn('alice', 'alice-acme-demo-pass', 1);
    let changes = 0;
    subscribe(() => changes++);

    // The gateway refuses the first three requests, and at last the refresh too.
    const expireTokens = async (isLast: boolean) => {
      const real = globalThis.fetch;
      const sent: string[] = [];
      globalThis.fetch = async (input, init) => {
        sent.push(String(input));
        const headers = new Headers(init?.headers);
        if (sent.length <= 3) headers.set('authorization', 'Bearer expired');
        const body =
          isLast && String(input).endsWith('refresh') ? JSON.stringify({ refresh_token: 'gone' }) : init?.body;
        return real(input, { ...init, headers, ...(body && { body }) });
      };
      try {
        const results = await Promise.allSettled([1, 2, 3].map(() => send('{ orders { id } }')));
        return { results, refreshes: sent.filter((address) => address.endsWith('auth_token_refresh')).length };
      } finally {
        globalThis.fetch = real;
      }
    };
    const { results, refreshes } = await expireTokens(false);
    expect(refreshes).toBe(1);
    expect(changes).toBe(1);
    for (const result of results)
      expect(result).toMatchObject({ status: 'fulfilled', value: { data: { orders: expect.any(Array) } } });

    const last = await expireTokens(true);
    expect([last.refreshes, isLoggedIn()]).toEqual([1, false]);
    for (const result of last.results) expect(result.status).toBe('rejected');
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
