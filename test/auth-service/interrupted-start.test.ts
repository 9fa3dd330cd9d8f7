import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { migrate, pendingMigrations } from '../../auth-service/database/index.ts';
import { StartError } from '../../platform/index.ts';
import { availableEngines, createTestDatabase, type TestDatabase } from '../database/index.ts';
import { runCommand } from './cli/run.ts';
import { type FailingProxy, openFailingProxy } from './failing-proxy.ts';
import { environment, startTestService } from './service.ts';

const WAIT_SECONDS = 600;
const WAITING = { AUTH_DATABASE_WAIT_SECONDS: String(WAIT_SECONDS) };
const isPostgresThere = (await availableEngines()).includes('postgres');

const FAILURES = [
  ['turned away as one too many', 'too-many-connections'],
  ['cut', 'cut'],
] as const;

(isPostgresThere ? describe : describe.skip)('a start whose database fails meanwhile', () => {
  let database: TestDatabase;
  let proxy: FailingProxy;

  beforeAll(async () => {
    database = await createTestDatabase({ engine: 'postgres' });
    proxy = await openFailingProxy(database.url);
  });
  afterAll(async () => {
    await proxy.close();
    await database.drop();
  });

  async function countConnections(settings: Record<string, string>): Promise<number> {
    proxy.fail('cut', () => false);
    const service = await startTestService(proxy.url, settings);
    const connections = proxy.connections();
    await service.stop();
    // Those that are opened for one purpose, and one of the pool at least.
    expect(connections).toBeGreaterThan(2);
    return connections;
  }

  test.each(FAILURES)('waits for it, whichever of its connections is %s', async (_what, failure) => {
    const connections = await countConnections(WAITING);
    for (let failing = 1; failing <= connections; failing += 1) {
      proxy.fail(failure, (number) => number === failing);
      const service = await startTestService(proxy.url, WAITING);
      expect([failing, (await fetch(`${service.url}/readyz`)).status]).toEqual([failing, 200]);
      await service.stop();
    }
  });

  test('without a wait ends with one line that names the setting and the reason', async () => {
    const connections = await countConnections({});
    for (let failing = 1; failing <= connections; failing += 1) {
      proxy.fail('too-many-connections', (number) => number === failing);
      const error = await startTestService(proxy.url).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(StartError);
      expect((error as StartError).message).toMatch(
        /^DATABASE_URL: cannot use database "\w+" at 127\.0\.0\.1:\d+ as user "\w+": it has no connection left \(53300\)$/,
      );
    }
  });

  test('ends when it is asked to stop', async () => {
    const connections = await countConnections(WAITING);
    const stopping = new AbortController();
    proxy.fail('too-many-connections', (number) => number >= connections);
    proxy.onFailure(() => stopping.abort());
    const start = startTestService(proxy.url, WAITING, { stopping: stopping.signal });
    await expect(start).rejects.toThrow(StartError);
  });
});

(isPostgresThere ? test : test.skip)('a command waits too, and without a wait ends with one line', async () => {
  const database = await createTestDatabase({ engine: 'postgres' });
  const proxy = await openFailingProxy(database.url);
  const list = (settings: Record<string, string>) => runCommand(['tenant', 'list'], environment(proxy.url, settings));
  expect(await list({})).toMatchObject({ code: 0, stderr: '' });
  const connections = proxy.connections();
  for (let failing = 1; failing <= connections; failing += 1) {
    // The last one is of the command's own work, which is done once.
    proxy.fail('too-many-connections', (number) => number === failing && failing < connections);
    expect([failing, await list(WAITING)]).toMatchObject([failing, { code: 0, stderr: '' }]);
    proxy.fail('too-many-connections', (number) => number === failing);
    const { code, stderr } = await list({});
    expect(code).toBe(1);
    expect(stderr).toMatch(/^portico-auth: DATABASE_URL: cannot use [^\n]+: it has no connection left \(53300\)\n$/);
  }
  await proxy.close();
  await database.drop();
});

(isPostgresThere ? test : test.skip).each(FAILURES)(
  'migrations go on where some of their connections are %s',
  async (_what, failure) => {
    const empty = await createTestDatabase({ engine: 'postgres', migrated: false });
    const proxy = await openFailingProxy(empty.url);
    let failures = 0;
    proxy.onFailure(() => {
      failures += 1;
    });
    proxy.fail(failure, (number) => number % 9 === 0);
    await migrate(proxy.url, { waitSeconds: WAIT_SECONDS });

    expect(failures).toBeGreaterThan(1);
    expect(await pendingMigrations(empty.url)).toEqual([]);
    await proxy.close();
    await empty.drop();
  },
);
