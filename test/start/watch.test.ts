import { cpSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { makeDataDir, type Portico, startPortico } from '../e2e/portico.ts';
import { allGone, childrenOf } from '../e2e/processes.ts';

// A copy of the package to work on, so that nobody else's code changes.
const packageDir = makeDataDir();
const server = join(packageDir, 'examples/orders/server.ts');
const main = join(packageDir, 'examples/orders/main.ts');

let portico: Portico;
beforeAll(async () => {
  const compiled = ['platform', 'start', 'examples'].flatMap((room) => [room, `dist/${room}`]);
  // Of the auth service only what the start imports.
  const demoOperator = 'auth-service/cli/demo-operator.ts';
  for (const name of ['package.json', 'build', 'dist/chunks', 'dist/packages', demoOperator, ...compiled])
    cpSync(name, join(packageDir, name), { recursive: true });
  const config = JSON.parse(readFileSync('tsconfig.json', 'utf8'));
  writeFileSync(
    join(packageDir, 'tsconfig.json'),
    JSON.stringify({ ...config, include: ['platform', 'start', 'examples'] }),
  );
  symlinkSync(resolve('node_modules'), join(packageDir, 'node_modules'));
  portico = await startPortico({
    packageDir,
    arguments: ['orders', '--watch'],
    dataDir: join(packageDir, 'data'),
    // Shells and continuous integrations set it; the compiler then colours its errors also in a pipe.
    environment: { FORCE_COLOR: '1' },
  });
  await portico.wrote(/^the compiler is ready/m);
});
afterAll(async () => {
  await portico.stop();
  rmSync(packageDir, { recursive: true, force: true });
});

function edit(file: string, from: string, to: string) {
  const text = readFileSync(file, 'utf8');
  expect(text).toContain(from);
  writeFileSync(file, text.replace(from, to));
}

/** Resolves once the service says that it is `expected`, at the address that it had from the beginning. */
async function untilStatusIs(expected: string): Promise<void> {
  for (;;) {
    const answer = await fetch(`${portico.ordersUrl}/healthz`).then(
      (response) => response.json() as Promise<{ status?: string }>,
      () => ({ status: undefined }),
    );
    if (answer.status === expected) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

test('a service whose code I change is started again, at the same address', async () => {
  edit(server, "status: 'ok'", "status: 'changed'");
  await untilStatusIs('changed');
});

test('code that crashes stops nothing else, and works again when I have mended it', async () => {
  edit(main, "runService('orders'", "throw new Error('my mistake');\nrunService('orders'");
  await portico.wrote(/^portico: orders ended \(exit code 1\): waiting for a code change/m);
  expect(portico.output().stderr).toContain('my mistake');

  edit(main, "throw new Error('my mistake');\n", '');
  await untilStatusIs('changed');
});

test('what the compiler finds wrong is shown', async () => {
  edit(server, "status: 'changed'", "status: 'changed', wrong: 1 + nothing");
  await portico.wrote(/examples\/orders\/server\.ts.*error TS\d+.*nothing/);
});

test('a stop ends everything, the compiler too', async () => {
  const children = childrenOf(portico.process.pid);
  expect([...children.keys()]).toContain('compiler');
  const { code } = await portico.stop();
  expect(code).toBe(0);
  await allGone(children.values());
});
