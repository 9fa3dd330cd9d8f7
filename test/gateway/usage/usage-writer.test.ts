import { expect, test } from '@jest/globals';
import { UsageFiles } from '../../../gateway/operations/usage/usage-file.ts';
import { UsageTable } from '../../../gateway/operations/usage/usage-table.ts';
import { UsageWriter } from '../../../gateway/operations/usage/usage-writer.ts';
import { createLogger } from '../../../platform/index.ts';
import { keeper } from '../harness/index.ts';
import { usageDirectory } from './usage-directory.ts';

test('a file whose last write fails is completed before the next one begins', async () => {
  const { keep, close } = keeper();
  const directory = await keep(usageDirectory());
  const count = (table: UsageTable) => {
    const description = { id: 'a', type: 'query', name: 'Order', coordinates: ['Query.order'] } as const;
    const ofRole = table.role(table.operation(description, false), 'clerk');
    table.uses(ofRole, table.clients.of({}, false)).count += 1;
  };
  const first = new UsageTable({ operations: 10, clients: 10 });
  // It was begun the day before.
  Object.defineProperty(first, 'startedAt', { value: Date.now() - 86_400_000 });
  let table = first;
  const files = new UsageFiles(directory.path, 30);
  const write = files.write.bind(files);
  let writes = 0;
  files.write = async (text, startedAt) => {
    writes += 1;
    if (writes === 2) throw Object.assign(new Error('full'), { code: 'ENOSPC' });
    await write(text, startedAt);
    // What a request adds while the file is written.
    if (writes === 1) count(first);
  };
  const writer = new UsageWriter({
    files,
    intervalMs: 3_600_000,
    log: createLogger('test', 'silent'),
    table: () => table,
    next: () => {
      table = new UsageTable({ operations: 10, clients: 10 });
    },
  });
  count(first);
  await writer.write();
  expect([writes, table === first]).toEqual([2, false]);
  count(table);
  await writer.stop();
  expect(directory.files().size).toBe(2);
  expect(directory.uses()).toEqual({ 'Order clerk': 3 });
  await close();
});
