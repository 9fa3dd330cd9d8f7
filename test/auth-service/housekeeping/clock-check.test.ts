import { expect, test } from '@jest/globals';
import { openDatabase } from '../../../auth-service/database/index.ts';
import { createClockCheck } from '../../../auth-service/housekeeping/index.ts';
import { createLogger } from '../../../platform/index.ts';
import { createTestDatabase, preferredEngine } from '../../database/index.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

test.each([
  [-40 * DAY_MS, true],
  [-HOUR_MS / 2, false],
  [0, false],
  [HOUR_MS / 2, false],
  [40 * DAY_MS, true],
])('a clock that differs from that of the database by %d ms is wrong: %s', async (difference, isWrong) => {
  const testDatabase = await createTestDatabase({ engine: preferredEngine() });
  const database = openDatabase(testDatabase.url);
  const lines: string[] = [];
  const now = Date.now;
  try {
    const logger = createLogger('test', 'warn', { write: (line) => void lines.push(line) });
    const isClockWrong = createClockCheck(database, logger);
    Date.now = () => now() + difference;
    expect(await isClockWrong()).toBe(isWrong);
    expect(lines.join('').includes('housekeeping.skipped')).toBe(isWrong);
  } finally {
    Date.now = now;
    await database.close();
    await testDatabase.drop();
  }
});
