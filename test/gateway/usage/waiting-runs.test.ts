import { expect, test } from '@jest/globals';
import type { HiveOperation } from '../../../gateway/operations/usage/hive-operation.ts';
import { type Run, WaitingRuns } from '../../../gateway/operations/usage/waiting-runs.ts';

const operationOf = (characters: number): HiveOperation => ({
  key: 'key',
  operation: 'x'.repeat(characters),
  operationName: undefined,
  fields: [],
});
const runOf = (of: HiveOperation, isPublic = false): Run => ({
  of,
  isPublic,
  client: { name: undefined, version: undefined },
  timestamp: 0,
  execution: undefined,
});

/** Adds runs until there is no room. */
function filled(next: () => HiveOperation) {
  const waiting = new WaitingRuns();
  let added = 0;
  while (waiting.add(runOf(next()))) added += 1;
  return { waiting, added };
}

test('ten thousand runs of one operation wait, however long it is', () => {
  const operation = operationOf(100_000);
  expect(filled(() => operation).added).toBe(10_000);
});

test('operations of sixteen million characters wait, and there is room again once they are taken', () => {
  const { waiting, added } = filled(() => operationOf(100_000));
  expect(added).toBe(160);
  expect(waiting.fillsReport).toBe(true);
  expect(waiting.takeReport()).toHaveLength(40);
  expect(waiting.add(runOf(operationOf(4_000_000)))).toBe(true);
  expect(waiting.add(runOf(operationOf(1)))).toBe(false);
});

test('an operation is counted until its last run is taken', () => {
  const waiting = new WaitingRuns();
  const operation = operationOf(4_000_000);
  for (let run = 0; run < 1_001; run++) expect(waiting.add(runOf(operation))).toBe(true);
  for (let other = 0; other < 3; other++) expect(waiting.add(runOf(operationOf(4_000_000)))).toBe(true);
  expect(waiting.takeReport()).toHaveLength(1_000);
  expect(waiting.add(runOf(operationOf(1)))).toBe(false);
  expect(waiting.takeReport()).toHaveLength(1);
  expect(waiting.add(runOf(operationOf(1)))).toBe(true);
});

test('callers without a session bring a tenth of the runs and of the text, and displace no other caller', () => {
  const waiting = new WaitingRuns();
  const operation = operationOf(10);
  for (let run = 0; run < 1_000; run++) expect(waiting.add(runOf(operation, true))).toBe(true);
  expect(waiting.add(runOf(operation, true))).toBe(false);
  expect(waiting.add(runOf(operation))).toBe(true);
  expect(waiting.takeReport()).toHaveLength(1_000);
  expect(waiting.takeReport()).toHaveLength(1);
  expect(waiting.add(runOf(operationOf(1_600_001), true))).toBe(false);
  expect(waiting.add(runOf(operationOf(1_600_000), true))).toBe(true);
  expect(waiting.add(runOf(operationOf(1), true))).toBe(false);
  expect(waiting.add(runOf(operationOf(4_000_000)))).toBe(true);
  waiting.takeReport();
  expect(waiting.add(runOf(operationOf(1), true))).toBe(true);
});
