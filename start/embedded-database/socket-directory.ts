import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StartError } from '../../platform/index.ts';

/** The name that PostgreSQL clients look for in a socket directory. */
export const SOCKET_NAME = '.s.PGSQL.5432';

// The shortest limit of a UNIX socket's path, macOS's, with its closing zero byte.
const LONGEST_SOCKET_PATH = 103;

/**
 * The directory of the sockets of the embedded database in `dataDir`. It lies in the temporary directory because a
 * socket's path must be short; its name is derived from the user and the data directory, so that all processes of this
 * database find the same one.
 */
export function socketDirectoryOf(dataDir: string): string {
  const key = createHash('sha256').update(realpathSync(dataDir)).digest('hex').slice(0, 16);
  const directory = join(tmpdir(), `portico-${userId()}-${key}`);
  if (Buffer.byteLength(join(directory, SOCKET_NAME)) > LONGEST_SOCKET_PATH)
    throw new StartError(`TMPDIR: ${tmpdir()} is too long a path for a socket in it`);
  return directory;
}

/** The URL under which PostgreSQL clients reach the embedded database in `dataDir`. */
export function embeddedDatabaseUrl(dataDir: string): string {
  return `postgresql://postgres@localhost/postgres?host=${encodeURIComponent(socketDirectoryOf(dataDir))}`;
}

/**
 * Creates the directory. Any user may create names in the temporary directory, so an existing one is used only if no other
 * user has access to it.
 *
 * @throws StartError when it is not ours alone.
 */
export function prepareSocketDirectory(directory: string): void {
  try {
    mkdirSync(directory, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EEXIST') throw new StartError(`TMPDIR: cannot make ${directory} (${code})`);
  }
  const found = lstatSync(directory);
  if (!found.isDirectory() || found.uid !== userId() || (found.mode & 0o077) !== 0)
    throw new StartError(`TMPDIR: ${directory} is not a directory of this user alone: remove it`);
}

function userId(): number {
  if (!process.getuid)
    throw new StartError('DATABASE_URL is not set: the embedded database does not run on this system');
  return process.getuid();
}
