import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Where Debian keeps the server's programs of each version, and the directories of the path. */
const POSTGRES_ROOT = '/usr/lib/postgresql';
const SYSTEM_DIRECTORIES = ['/usr/sbin', '/sbin', '/usr/local/sbin'];

/** The path of a program, undefined where it is not installed. */
export function findProgram(name: string): string | undefined {
  const directories = [...(process.env.PATH ?? '').split(delimiter), ...SYSTEM_DIRECTORIES];
  return directories.map((directory) => join(directory, name)).find((path) => existsSync(path));
}

/** The newest PostgreSQL's directory of programs, undefined where none is installed. */
export function findPostgres(): string | undefined {
  const versions = existsSync(POSTGRES_ROOT) ? readdirSync(POSTGRES_ROOT).map(Number).filter(Number.isFinite) : [];
  const installed = versions
    .sort((left, right) => right - left)
    .map((version) => join(POSTGRES_ROOT, String(version), 'bin'))
    .find((directory) => existsSync(join(directory, 'initdb')));
  if (installed !== undefined) return installed;
  const initdb = findProgram('initdb');
  return initdb && join(initdb, '..');
}

/** The library that fakes a process's clock (Debian: libfaketime), undefined where it is not installed. */
export function findFakeTime(): string | undefined {
  const directories = ['/usr/lib', ...['x86_64', 'aarch64'].map((machine) => `/usr/lib/${machine}-linux-gnu`)];
  return directories
    .map((directory) => join(directory, 'faketime/libfaketimeMT.so.1'))
    .find((path) => existsSync(path));
}

/** What a command is started with to run as the user `postgres`: root may not run PostgreSQL. */
export function asPostgresUser(): readonly string[] {
  if (process.getuid?.() !== 0) return [];
  return ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups', '--'];
}

/** @throws when there is no such user. */
export function postgresUserId(): number {
  return process.getuid?.() === 0 ? Number(execFileSync('id', ['-u', 'postgres'], { encoding: 'utf8' })) : -1;
}
