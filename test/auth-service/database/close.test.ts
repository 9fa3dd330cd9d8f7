import { expect, test } from '@jest/globals';
import { openDatabase } from '../../../auth-service/database/index.ts';
import { asyncStorageLeavesMarks, asyncStorageMarks } from '../../async-storage-marks.ts';
import { createTestDatabase, preferredEngine } from '../../database/index.ts';

if (asyncStorageLeavesMarks())
  test('a database that is closed has Node observe no promises any more', async () => {
    const { url, drop } = await createTestDatabase({ engine: preferredEngine() });
    const before = asyncStorageMarks().length;
    const database = openDatabase(url, { poolSize: 1 });
    await database.inTenant(1, (transaction) => transaction.user.findMany());
    expect(asyncStorageMarks()).toHaveLength(before + 1);
    await database.close();

    expect(asyncStorageMarks()).toHaveLength(before);
    await drop();
  });
else test.todo('NOT TESTED WITH THIS NODE: that a database that is closed has it observe no promises any more');
