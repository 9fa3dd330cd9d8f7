import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { preferredEngine } from '../database/index.ts';
import { runCommand, runCommandProcess } from './cli/run.ts';
import { type RunningProcess, runProgram } from './process.ts';
import { environment } from './service.ts';
import { sessionClient } from './session-client.ts';
import { createWorld, type World } from './world.ts';

/** Makes the native library's own loader fail, as on a platform that it has no build for. */
const WITHOUT_NATIVE = { NAPI_RS_NATIVE_LIBRARY_PATH: '/nowhere/bcrypt.node' };

let world: World;
let service: RunningProcess;

beforeAll(async () => {
  world = await createWorld(preferredEngine());
  await world.addTenant(1, 'acme');
  for (const name of ['alice', 'bob']) await world.addUser(1, name, 'a password that is long enough');
  service = runProgram('main.js', environment(world.databaseUrl, WITHOUT_NATIVE));
  await service.ready;
});
afterAll(async () => {
  service.child.kill('SIGTERM');
  await service.ended;
  await world.close();
});

test('where the native bcrypt cannot be loaded, the same users log in and the log says so once', async () => {
  const client = sessionClient(`http://127.0.0.1:${await service.ready}`);

  await client.login('alice', 'a password that is long enough', 1);
  await expect(client.login('alice', 'another password', 1)).rejects.toThrow('refused');
  expect(service.stdout().match(/"event":"hashing\.native_unavailable"/g)).toHaveLength(1);
  expect(world.service.logs()).not.toContain('hashing.native_unavailable');
});

test('the doctor says so too', async () => {
  const { stdout } = await runCommandProcess(['doctor', '--json'], environment(world.databaseUrl, WITHOUT_NATIVE));

  expect(JSON.parse(stdout)).toContainEqual({
    check: 'hashing',
    result: 'warning',
    detail: expect.stringContaining('bcryptjs'),
  });
});

test('the doctor counts the users whose pepper is gone', async () => {
  const peppers = { AUTH_PASSWORD_PEPPER: '', AUTH_PASSWORD_PEPPERS: `{"2":"${'x'.repeat(32)}"}` };
  const { stdout, code } = await runCommand(['doctor', '--json'], environment(world.databaseUrl, peppers));

  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toContainEqual({
    check: 'passwords',
    result: 'warning',
    detail: expect.stringMatching(/^2 users cannot log in/),
  });
});
