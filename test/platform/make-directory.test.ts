import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { makeDirectory, makeDirectorySync, writeFilesTogether } from '../../platform/index.ts';

test('a directory is made with those above it, and may be there already', async () => {
  const root = mkdtempSync(join(tmpdir(), 'portico-directory-'));
  const directory = join(root, 'of', 'usage');
  await makeDirectory(directory);
  await makeDirectory(directory, 0o700);
  expect(existsSync(directory)).toBe(true);
  expect(makeDirectorySync(join(directory, 'a', 'b'))).toEqual([join(directory, 'a', 'b'), join(directory, 'a')]);
  expect(makeDirectorySync(directory)).toEqual([]);
  rmSync(root, { recursive: true });
});

const onLinux = existsSync('/proc/self') ? test : test.skip;

onLinux('a file system that refuses all directories is an error, and no endless loop', async () => {
  await expect(makeDirectory('/proc/none/usage')).rejects.toMatchObject({ code: 'ENOENT' });
  expect(() => makeDirectorySync('/proc/none/usage')).toThrow(expect.objectContaining({ code: 'ENOENT' }));
});

test('a file in place of a directory, or above one, is an error', () => {
  const root = mkdtempSync(join(tmpdir(), 'portico-directory-'));
  const file = join(root, 'file');
  writeFileSync(file, '');
  expect(() => makeDirectorySync(file)).toThrow(expect.objectContaining({ code: 'EEXIST' }));
  expect(() => makeDirectorySync(join(file, 'a'))).toThrow(expect.objectContaining({ code: 'EEXIST' }));
  rmSync(root, { recursive: true });
});

test('files that cannot all be written leave the earlier ones as they were', () => {
  const root = mkdtempSync(join(tmpdir(), 'portico-directory-'));
  writeFilesTogether(root, new Map([['a', '1']]));
  // In its place nothing can be put, as on a disk that is full by then.
  mkdirSync(join(root, 'b', 'c'), { recursive: true });
  expect(() => writeFilesTogether(root, new Map([['b', '2']]))).toThrow();
  expect(readdirSync(root)).toEqual(['a', 'b']);
  expect(readFileSync(join(root, 'a'), 'utf8')).toBe('1');
  rmSync(root, { recursive: true });
});
