import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { makeDirectory, makeDirectorySync, unwritableReason, writeFilesTogether } from '../../platform/index.ts';

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

test('directories that cannot all be made leave none', () => {
  const root = mkdtempSync(join(tmpdir(), 'portico-directory-'));
  expect(() => makeDirectorySync(join(root, 'a', 'b', 'c'.repeat(300)))).toThrow(
    expect.objectContaining({ code: 'ENAMETOOLONG' }),
  );
  expect(readdirSync(root)).toEqual([]);
  rmSync(root, { recursive: true });
});

test('a directory that another process makes at the same time is no error', () => {
  const root = mkdtempSync(join(tmpdir(), 'portico-directory-'));
  const module = new URL('../../dist/platform/files/make-directory-sync.js', import.meta.url).href;
  // The other process is always the first here: each directory is there when it is to be made.
  const script = `
    import fs from 'node:fs';
    import { syncBuiltinESMExports } from 'node:module';
    const { mkdirSync } = fs;
    fs.mkdirSync = (...args) => { mkdirSync(...args); mkdirSync(...args); };
    syncBuiltinESMExports();
    const { makeDirectorySync } = await import(${JSON.stringify(module)});
    makeDirectorySync(${JSON.stringify(join(root, 'a', 'b'))});`;
  execFileSync(process.execPath, ['--input-type=module', '-e', script], { stdio: 'pipe' });
  expect(readdirSync(join(root, 'a'))).toEqual(['b']);
  rmSync(root, { recursive: true });
});

test('a broken symbolic link in place of a directory is named as one', () => {
  const root = mkdtempSync(join(tmpdir(), 'portico-directory-'));
  const link = join(root, 'link');
  symlinkSync(join(root, 'nowhere'), link);
  const directory = join(link, 'a');
  let reason = '';
  try {
    makeDirectorySync(directory);
  } catch (error) {
    reason = unwritableReason(directory, error);
  }
  expect(reason).toBe(`${link} is a broken symbolic link`);
  rmSync(root, { recursive: true });
});

test.each(['EACCES', 'EPERM'])('a directory that this user may not write to is named, with %s', (code) => {
  const error = Object.assign(new Error('refused'), { code, path: '/schemas/.unfinished-1-0' });
  expect(unwritableReason('/schemas', error)).toBe(`cannot write to /schemas: this user may not (${code})`);
});

test('a symbolic link into a directory that this user may not enter is named as one', () => {
  const root = mkdtempSync(join(tmpdir(), 'portico-directory-'));
  const link = join(root, 'link');
  symlinkSync('x'.repeat(300), link);
  const error = Object.assign(new Error('exists'), { code: 'EEXIST', path: link });
  // Root may enter all: a name that is too long is as good a reason not to follow the link.
  expect(unwritableReason(join(link, 'a'), error)).toBe(`cannot follow the symbolic link ${link} (ENAMETOOLONG)`);
  rmSync(root, { recursive: true });
});

describe('files that are written together', () => {
  let root: string;
  const textOf = (name: string) => readFileSync(join(root, name), 'utf8');
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'portico-files-'));
    writeFileSync(join(root, 'a'), 'v1');
  });
  afterEach(() => rmSync(root, { recursive: true }));

  test.each([
    ['a directory in its place', 'c', 'EISDIR'],
    ['too long a name', 'd'.repeat(300), 'ENAMETOOLONG'],
  ])('are as they were when one of them has %s', (_, name, code) => {
    mkdirSync(join(root, 'c'));
    const files = new Map([
      ['a', 'v2'],
      ['b', 'v2'],
      [name, 'v2'],
    ]);
    expect(() => writeFilesTogether(root, files)).toThrow(expect.objectContaining({ code }));
    expect(readdirSync(root).sort()).toEqual(['a', 'c']);
    expect(textOf('a')).toBe('v1');
  });

  test('leave nothing else behind', () => {
    const files = new Map([
      ['a', 'v2'],
      ['b', 'v2'],
    ]);
    writeFilesTogether(root, files);
    expect(readdirSync(root).sort()).toEqual(['a', 'b']);
    expect([textOf('a'), textOf('b')]).toEqual(['v2', 'v2']);
  });

  test.each([0o600, 0o644, 0o666])('keep the mode %o', (mode) => {
    chmodSync(join(root, 'a'), mode);
    const modeOfA = () => statSync(join(root, 'a')).mode & 0o777;
    writeFilesTogether(root, new Map([['a', 'v2']]));
    expect([textOf('a'), modeOfA()]).toEqual(['v2', mode]);
    const failing = new Map([
      ['a', 'v3'],
      ['d'.repeat(300), 'v3'],
    ]);
    expect(() => writeFilesTogether(root, failing)).toThrow();
    expect([textOf('a'), modeOfA()]).toEqual(['v2', mode]);
  });

  const isRoot = process.getuid?.() === 0;

  (isRoot ? test : test.skip)('keep their owners where root writes them', () => {
    chownSync(join(root, 'a'), 1234, 4321);
    writeFilesTogether(root, new Map([['a', 'v2']]));
    expect(statSync(join(root, 'a'))).toMatchObject({ uid: 1234, gid: 4321 });
  });

  test('stay symbolic links', () => {
    mkdirSync(join(root, 'elsewhere'));
    writeFileSync(join(root, 'elsewhere', 'b'), 'v1');
    symlinkSync(join('elsewhere', 'b'), join(root, 'b'));
    writeFilesTogether(root, new Map([['b', 'v2']]));
    expect(lstatSync(join(root, 'b')).isSymbolicLink()).toBe(true);
    expect(readdirSync(join(root, 'elsewhere'))).toEqual(['b']);
    expect(textOf('elsewhere/b')).toBe('v2');
  });

  // Where namespaces may not be made, nothing can be mounted.
  const canMount = spawnSync('unshare', ['-rm', 'true']).status === 0;

  (canMount ? test : test.skip)('are not written where the file system is read-only, and the reason says so', () => {
    const module = new URL('../../dist/platform/index.js', import.meta.url).href;
    const script = `
      import { unwritableReason, writeFilesTogether } from ${JSON.stringify(module)};
      try { writeFilesTogether('.', new Map([['a', 'v2']])); }
      catch (error) { process.stdout.write(unwritableReason('schemas', error)); }`;
    const { stdout } = spawnSync(
      'unshare',
      [
        '-rm',
        'sh',
        '-c',
        'mount --bind . . && mount -o remount,bind,ro . && cd "$PWD" && exec "$0" --input-type=module -e "$1"',
        process.execPath,
        script,
      ],
      { cwd: root, encoding: 'utf8' },
    );
    expect(stdout).toBe('cannot write to schemas: its file system is read-only (EROFS)');
    expect([readdirSync(root), textOf('a')]).toEqual([['a'], 'v1']);
  });

  (canMount ? test : test.skip)('may be mounted by themselves', () => {
    writeFileSync(join(root, 'mounted'), 'v1');
    writeFileSync(join(root, 'b'), '');
    const module = new URL('../../dist/platform/files/write-files-together.js', import.meta.url).href;
    const writes = (name: string) => `
      import { writeFilesTogether } from ${JSON.stringify(module)};
      writeFilesTogether(${JSON.stringify(root)}, new Map([['b', 'v2'], [${JSON.stringify(name)}, 'v2']]));`;
    const mounted = (name: string) =>
      spawnSync(
        'unshare',
        [
          '-rm',
          'sh',
          '-c',
          'mount --bind mounted b && exec "$0" --input-type=module -e "$1"',
          process.execPath,
          writes(name),
        ],
        { cwd: root, encoding: 'utf8' },
      );
    // It is put back, too.
    expect(mounted('d'.repeat(300)).stderr).toContain('ENAMETOOLONG');
    expect(textOf('mounted')).toBe('v1');
    expect(mounted('a')).toMatchObject({ status: 0, stderr: '' });
    expect([textOf('mounted'), textOf('a'), textOf('b')]).toEqual(['v2', 'v2', '']);
    expect(readdirSync(root).sort()).toEqual(['a', 'b', 'mounted']);
  });
});
