import { AsyncResource } from 'node:async_hooks';
import { expect, test } from '@jest/globals';
import { openDatabase } from '../../../auth-service/database/index.ts';
import { createTestDatabase, preferredEngine } from '../../database/index.ts';

/** How many instances of `AsyncLocalStorage` Node passes on to each promise: it marks every resource with them. */
function observers(): number {
  const marks = Object.getOwnPropertySymbols(new AsyncResource('test'));
  return marks.filter(({ description }) => description === 'kResourceStore').length;
}

test('a database that is closed has Node observe no promises any more', async () => {
  const { url, drop } = await createTestDatabase({ engine: preferredEngine() });
  const before = observers();
  const database = openDatabase(url, { poolSize: 1 });
  await database.inTenant(1, (transaction) => transaction.user.findMany());
  expect(observers()).toBe(before + 1);
  await database.close();

  expect(observers()).toBe(before);
  await drop();
});
