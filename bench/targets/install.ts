import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProcessGroup } from '../machine/index.ts';
import type { BenchDependencies } from './target.ts';

const INSTALL_WITHIN_MS = 10 * 60_000;

/** A package that is installed next to Portico, in its own directory. */
interface InstalledPackage {
  readonly directory: string;
  readonly family: string;
  /** The package whose version shows whether it is installed. */
  readonly package: string;
}

/** Installs a target on first use, apart from Portico's dependencies. @throws Error if npm fails. */
export async function installPackage(
  { directory, family, package: name }: InstalledPackage,
  { group, say }: BenchDependencies,
): Promise<void> {
  if (installedVersion(directory, name) === wantedVersion(directory, name)) return;
  say(`installing ${family} (once)`);
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  if (await npm(group, directory, ['ci', ...options])) return;
  // npm rejects the lock file if the registry lacks a package in it. Even without the file, the exact versions are those
  // requested.
  if (await npm(group, directory, ['install', '--no-package-lock', ...options])) return;
  throw new Error(`npm cannot install it into ${directory}`);
}

async function npm(group: ProcessGroup, directory: string, npmArguments: readonly string[]): Promise<boolean> {
  const member = group.start({
    name: 'npm',
    command: ['npm', ...npmArguments],
    directory,
    environment: npmEnvironment(),
  });
  const timer = setTimeout(member.stop, INSTALL_WITHIN_MS);
  try {
    await member.completed();
    return true;
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}

/** Returns the settings with which npm reaches its registry. */
function npmEnvironment(): Record<string, string> {
  const wanted = /^(npm_config_.*|.*_proxy|NODE_EXTRA_CA_CERTS)$/i;
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value && wanted.test(name) ? [[name, value]] : [])),
  );
}

/** Returns the installed version in a directory, or undefined if it is not installed. */
export function installedVersion(directory: string, name: string): string | undefined {
  const file = join(directory, 'node_modules', name, 'package.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).version : undefined;
}

function wantedVersion(directory: string, name: string): string {
  return JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')).dependencies[name];
}
