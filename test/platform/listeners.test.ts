import { expect, test } from '@jest/globals';
import { createLogger, Listeners } from '../../platform/index.ts';

test('calls every listener, also after one that throws, until it is removed', () => {
  const lines: string[] = [];
  const listeners = new Listeners<number>(createLogger('test', 'error', { write: (line) => lines.push(line) }));
  const seen: string[] = [];
  listeners.add(() => {
    throw new Error('broken');
  });
  const remove = listeners.add((event) => seen.push(`first ${event}`));
  listeners.add((event) => seen.push(`second ${event}`));

  listeners.notify(1);
  remove();
  listeners.notify(2);

  expect(seen).toEqual(['first 1', 'second 1', 'second 2']);
  expect(lines.map((line) => JSON.parse(line).err.message)).toEqual(['broken', 'broken']);
});
