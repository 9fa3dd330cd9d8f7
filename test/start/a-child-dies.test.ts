import { rmSync } from 'node:fs';
import { afterAll, expect, test } from '@jest/globals';
import { socketDirectoryOf } from '../../start/embedded-database/socket-directory.ts';
import { makeDataDirWithAccounts, startPortico } from '../e2e/portico.ts';
import { allGone, childrenOf } from '../e2e/processes.ts';

const dataDir = await makeDataDirWithAccounts();
afterAll(() => {
  // What the killed database has left, a next start would have cleared away.
  rmSync(socketDirectoryOf(dataDir), { recursive: true, force: true });
  rmSync(dataDir, { recursive: true, force: true });
});

// What is started: everything, or what is quicker and has the process, and another one, too.
test.each([
  ['gateway', []],
  ['auth-service', ['auth-service']],
  ['orders', ['orders', 'gateway']],
  ['embedded-database', ['auth-service']],
])('when the process %s dies, the others are stopped and its name is printed', async (name, services) => {
  const portico = await startPortico({ dataDir, arguments: services });
  const children = childrenOf(portico.process.pid);
  process.kill(Number(children.get(name)), 'SIGKILL');
  const { code, stderr } = await portico.ended;
  expect(code).toBe(1);
  expect(stderr).toContain(`portico: ${name} ended (signal SIGKILL): stopping the others\n`);
  await allGone(children.values());
});
