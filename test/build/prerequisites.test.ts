import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { nodeVersionProblem } from '../../build/node-version.mjs';

const run = promisify(execFile);

/** Ends a program that is expected to fail. @returns its exit code and standard error. */
async function failureOf(args: readonly string[], cwd = process.cwd()) {
  return run(process.execPath, args, { cwd }).then(
    () => ({ code: 0, stderr: '' }),
    ({ code, stderr }: { code: number; stderr: string }) => ({ code, stderr }),
  );
}

describe('the version of Node', () => {
  test.each(['20.19.0', '20.20.2', '22.1.0', '100.0.0'])('may be %s', (version) => {
    expect(nodeVersionProblem(version, '>=20.19')).toBeUndefined();
  });

  test.each(['18.20.8', '20.9.0', '20.18.3'])('may not be %s', (version) => {
    expect(nodeVersionProblem(version, '>=20.19')).toContain(`Node 20.19 or newer is needed, this is ${version}`);
  });

  const olderNode = `data:text/javascript,${encodeURIComponent(
    `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.20.8' } });`,
  )}`;

  test.each(['start/start.mjs', 'gateway/portico.mjs', 'auth-service/portico-auth.mjs', 'build/main.mjs'])(
    'is checked by %s before anything else',
    async (program) => {
      expect(await failureOf(['--import', olderNode, program])).toEqual({
        code: 1,
        stderr: expect.stringMatching(/^portico: Node 20\.19 or newer is needed, this is 18\.20\.8: .*\n$/),
      });
    },
  );
});

test.each([
  ['build/main.mjs', 'the database client is missing'],
  ['build/lint.mjs', 'the linter and the compiler are missing'],
])('without its dependencies %s of a checkout says how to install them', async (program, state) => {
  const checkout = mkdtempSync(join(tmpdir(), 'portico-checkout-'));
  try {
    for (const path of ['build', 'prisma', 'package.json']) cpSync(path, join(checkout, path), { recursive: true });
    expect(await failureOf([program], checkout)).toEqual({
      code: 1,
      stderr: `portico: ${state}, and the development dependencies are not installed: run "npm ci --include=dev"\n`,
    });
  } finally {
    rmSync(checkout, { recursive: true });
  }
});
