import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProcessGroup } from '../machine/index.ts';
import type { BenchDependencies } from './target.ts';

const INSTALL_WITHIN_MS = 10 * 60_000;

/** Something that is installed beside Portico, in a directory of its own. */
interface InstalledPackage {
  readonly directory: string;
  readonly family: string;
  /** The package whose version says whether it is there. */
  readonly package: string;
}

/** Installs what is measured on first use, apart from what Portico depends on. @throws when npm cannot. */
export async function installPackage(
  { directory, family, package: name }: InstalledPackage,
  { group, say }: BenchDependencies,
): Promise<void> {
  if (installedVersion(directory, name) === wantedVersion(directory, name)) return;
  say(`installing ${family} (once)`);
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  if (await npm(group, directory, ['ci', ...options])) return;
  // The lock file is refused where the registry lacks something that it names; the exact versions stay those asked for.
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

/** How npm reaches its registry from here. */
function npmEnvironment(): Record<string, string> {
  const wanted = /^(npm_config_.*|.*_proxy|NODE_EXTRA_CA_CERTS)$/i;
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value && wanted.test(name) ? [[name, value]] : [])),
  );
}

/** The version that is installed in a directory; undefined where it is not. */
export function installedVersion(directory: string, name: string): string | undefined {
  const file = join(directory, 'node_modules', name, 'package.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).version : undefined;
}

function wantedVersion(directory: string, name: string): string {
  return JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')).dependencies[name];
}
