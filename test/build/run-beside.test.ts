import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { runBeside } from '../../build/run-beside.mjs';

const packageDir = mkdtempSync(join(tmpdir(), 'portico-commands-'));
const commands = join(packageDir, 'node_modules/.bin');
mkdirSync(commands, { recursive: true });
for (const [name, script] of [
  ['succeed', 'echo > "$1"'],
  ['fail', 'exit 3'],
  ['die', 'kill -9 $$'],
] as const) {
  writeFileSync(join(commands, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(commands, name), 0o755);
}
afterAll(() => rmSync(packageDir, { recursive: true }));

test('commands beside each other all run to their ends, and succeed together', async () => {
  expect(
    await runBeside(packageDir, [
      ['succeed', 'one'],
      ['succeed', 'other'],
    ]),
  ).toBe(0);
  expect(readdirSync(packageDir).sort()).toEqual(['node_modules', 'one', 'other']);
});

test.each(['fail', 'die'])('one of them fails the run, and ends no other: %s', async (command) => {
  expect(await runBeside(packageDir, [[command], ['succeed', `beside ${command}`]])).toBe(1);
  expect(readdirSync(packageDir)).toContain(`beside ${command}`);
});

test('a command that is not there is an error', async () => {
  await expect(runBeside(packageDir, [['missing']])).rejects.toThrow('ENOENT');
});
