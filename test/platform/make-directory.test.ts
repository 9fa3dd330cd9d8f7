import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { makeDirectory } from '../../platform/index.ts';

test('a directory is made with those above it, and may be there already', async () => {
  const root = mkdtempSync(join(tmpdir(), 'portico-directory-'));
  const directory = join(root, 'of', 'usage');
  await makeDirectory(directory);
  await makeDirectory(directory, 0o700);
  expect(existsSync(directory)).toBe(true);
  rmSync(root, { recursive: true });
});

const onLinux = existsSync('/proc/self') ? test : test.skip;

onLinux('a file system that refuses all directories is an error, and no endless loop', async () => {
  await expect(makeDirectory('/proc/none/usage')).rejects.toMatchObject({ code: 'ENOENT' });
});
