import { mkdirSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from '@jest/globals';
import { isDataLocked, lockData } from '../../start/embedded-database/data-lock.ts';
import { prepareSocketDirectory, socketDirectoryOf } from '../../start/embedded-database/socket-directory.ts';
import { makeDataDir } from '../e2e/portico.ts';

const base = makeDataDir();
const dataDir = join(base, 'data');
mkdirSync(dataDir);
const directory = socketDirectoryOf(dataDir);
afterEach(() => rmSync(directory, { recursive: true, force: true }));
afterAll(() => rmSync(base, { recursive: true, force: true }));

test('the same data directory leads to the same sockets, by whatever path it is named', () => {
  const link = join(base, 'link');
  symlinkSync(dataDir, link);
  expect(socketDirectoryOf(link)).toBe(directory);
  expect(socketDirectoryOf(base)).not.toBe(directory);
});

test('no other user can reach the sockets', () => {
  prepareSocketDirectory(directory);
  expect(statSync(directory).mode & 0o777).toBe(0o700);
});

test('a directory that another user can write is not used', () => {
  mkdirSync(directory, { mode: 0o755 });
  expect(() => prepareSocketDirectory(directory)).toThrow(`${directory} is not a directory of this user alone`);
});

test('a link in place of the directory is not followed', () => {
  symlinkSync(dataDir, directory);
  expect(() => prepareSocketDirectory(directory)).toThrow('is not a directory of this user alone');
});

test('of those who want the database, one gets it, and the next one when it is given back', async () => {
  prepareSocketDirectory(directory);
  const attempts = await Promise.allSettled([lockData(directory, dataDir), lockData(directory, dataDir)]);
  expect(attempts.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  await expect(lockData(directory, dataDir)).rejects.toThrow(`PORTICO_DATA_DIR: ${dataDir} is in use`);
  expect(await isDataLocked(directory)).toBe(true);

  for (const attempt of attempts) if (attempt.status === 'fulfilled') await attempt.value.release();
  expect(await isDataLocked(directory)).toBe(false);
  await (await lockData(directory, dataDir)).release();
});
