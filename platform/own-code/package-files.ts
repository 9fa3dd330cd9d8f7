import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/**
 * Returns the directory of the package, which is the only one with a package.json. Works from the sources and from compiled
 * code.
 */
export function packageDirectory(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) {
    if (folder === dirname(folder)) throw new Error('no package.json above the code');
    folder = dirname(folder);
  }
  return folder;
}

/**
 * Returns the absolute path of a compiled file. Worker threads load only plain JavaScript, so it is the compiled file even if
 * the other code runs from its sources, as in tests.
 *
 * @param path relative to the package, such as `gateway/main.js`.
 */
export function compiledFile(path: string): string {
  return join(packageDirectory(), 'dist', path);
}

/**
 * Returns the URL of a file next to the sources that the build copies to the compiled code, such as a page. The file belongs to
 * the running code, which may run from a bundle at another place.
 *
 * @param path relative to the package, such as `gateway/transports/home/home.html`. A directory ends with a slash.
 */
export function assetUrl(path: string): URL {
  const runsFromSources = import.meta.url.endsWith('.ts');
  return pathToFileURL(runsFromSources ? join(packageDirectory(), path) : compiledFile(path));
}
