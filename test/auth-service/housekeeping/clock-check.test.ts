import { expect, test } from '@jest/globals';
import { createClockCheck } from '../../../auth-service/housekeeping/index.ts';
import { createLogger } from '../../../platform/index.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

test.each([
  [-40 * DAY_MS, true],
  [-HOUR_MS / 2, false],
  [0, false],
  [HOUR_MS / 2, false],
  [40 * DAY_MS, true],
])('a clock that differs from that of the database by %d ms is wrong: %s', async (difference, isWrong) => {
  const lines: string[] = [];
  const logger = createLogger('test', 'warn', { write: (line) => void lines.push(line) });
  expect(await createClockCheck({ measure: async () => difference }, logger)()).toBe(isWrong);
  expect(lines.join('').includes('housekeeping.skipped')).toBe(isWrong);
});
