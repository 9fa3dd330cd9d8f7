import { afterEach, describe, expect, test } from '@jest/globals';
import { availableEngines, createTestDatabase, type Engine, type TestDatabase } from '../../database/index.ts';
import { type RunningProcess, runProgram } from '../process.ts';
import { environment, startTestService, type TestService, THROTTLED } from '../service.ts';
import { loginAt, statuses } from './callers.ts';

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

async function newDatabase(engine: Engine): Promise<TestDatabase> {
  const database = await createTestDatabase({ engine });
  closers.push(() => database.drop());
  return database;
}

async function newService(url: string, changes: Record<string, string>): Promise<TestService> {
  const service = await startTestService(url, { ...THROTTLED, ...changes });
  closers.push(() => service.stop());
  return service;
}

/** A service as a process of its own. */
async function newProcess(url: string, changes: Record<string, string>): Promise<string> {
  const process: RunningProcess = runProgram('main.js', environment(url, { ...THROTTLED, ...changes }));
  closers.push(async () => {
    process.child.kill();
    await process.ended;
  });
  return `http://127.0.0.1:${await process.ready}`;
}

/** All from one address. */
const guess = (url: string) => (index: number) => loginAt(url, 'alice', `guess ${index}`, '10.9.0.1');

describe.each(await availableEngines())('two processes that count in %s', (engine) => {
  test('give no more guesses than one', async () => {
    const { url } = await newDatabase(engine);
    // Waits that are not over before the test is.
    const changes = { AUTH_THROTTLE_ACCOUNT: 'first=900' };
    // This process is one of the two. Both have the clock of the machine.
    const [{ url: one }, two] = await Promise.all([newService(url, changes), newProcess(url, changes)]);
    // An address that has failed has no second allowance.
    await loginAt(one, 'somebody else', 'wrong', '10.9.0.1');
    const outcomes = await Promise.all(Array.from({ length: 40 }, (_, index) => guess(index % 2 ? one : two)(index)));

    expect(statuses(outcomes).filter((status) => status === 401)).toHaveLength(5);
    expect(statuses(outcomes).filter((status) => status === 429)).toHaveLength(35);
    expect(statuses([await guess(one)(41), await guess(two)(42)])).toEqual([429, 429]);

    const fromClean = await Promise.all(
      Array.from({ length: 48 }, (_, index) => loginAt(index % 2 ? one : two, 'alice', 'wrong', `10.9.1.${index % 6}`)),
    );
    expect(statuses(fromClean).filter((status) => status === 401)).toHaveLength(6);
  });
});
