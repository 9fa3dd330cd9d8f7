// What a bundle was made of, remembered beside it, so that it is made again only when some of that has changed.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);

/** Undefined where the bundler is not installed, as in an image. */
export function bundlerVersion() {
  try {
    return require('esbuild/package.json').version;
  } catch {
    return undefined;
  }
}

/** The record of the last build; undefined: there is none that can be read. */
export function readStamp(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/**
 * A hash of what all bundles depend on: the bundler, the script that calls it, and the installed packages.
 *
 * @param {string} packageDir
 * @param {string | undefined} bundler its version
 * @param {string} script the address of the module that bundles
 * @returns {import('node:crypto').Hash} to be updated with the sources
 */
export function hashOfTools(packageDir, bundler, script) {
  const hash = createHash('sha256')
    .update(String(bundler))
    .update(readFileSync(fileURLToPath(script)));
  // npm writes the first at each installation. The second says what ought to be installed, and is all that an image has.
  for (const name of ['node_modules/.package-lock.json', 'package-lock.json']) {
    const file = join(packageDir, name);
    if (existsSync(file)) hash.update(readFileSync(file));
  }
  return hash;
}
