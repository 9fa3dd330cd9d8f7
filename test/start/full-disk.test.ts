import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from '@jest/globals';

const DATABASE = resolve('dist/start/embedded-database/main.js');

// Where namespaces may not be made, nothing can be mounted.
const canMount = spawnSync('unshare', ['-rm', 'true']).status === 0;
if (!canMount) process.stderr.write('\nNOT TESTED: a full disk at the start: this user may not mount a small one\n');

(canMount ? test : test.skip)('a disk that is full while the database is created is named as the reason', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'portico-full-'));
  const mountAndStart = 'mount -t tmpfs -o size=4m tmpfs "$1" && exec "$0" "$2" "$1"';
  const { status, stderr } = spawnSync(
    'unshare',
    ['-rm', 'sh', '-c', mountAndStart, process.execPath, dataDir, DATABASE],
    {
      encoding: 'utf8',
    },
  );
  rmSync(dataDir, { recursive: true, force: true });
  const files = join(dataDir, 'postgres');
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: `embedded-database: PORTICO_DATA_DIR: cannot open the database in ${files}: the disk is full (ENOSPC)\n`,
  });
});
