import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** The directory of the package, found from the sources and from the compiled code: only it holds a package.json. */
export function packageDirectory(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) {
    if (folder === dirname(folder)) throw new Error('no package.json above the code');
    folder = dirname(folder);
  }
  return folder;
}

/**
 * The absolute path of a compiled file. Worker threads load plain JavaScript only, so it is the compiled file even when
 * the rest runs from its sources, as in tests.
 *
 * @param path relative to the package, such as `gateway/main.js`.
 */
export function compiledFile(path: string): string {
  return join(packageDirectory(), 'dist', path);
}

/**
 * A file that lies beside the sources and that the build copies to the compiled code, such as a page: that one which belongs
 * to the code that runs. Code may run from a bundle, whose own place says nothing.
 *
 * @param path relative to the package, such as `gateway/transports/home/home.html`; of a directory with a slash at its end.
 */
export function assetUrl(path: string): URL {
  const runsFromSources = import.meta.url.endsWith('.ts');
  return pathToFileURL(runsFromSources ? join(packageDirectory(), path) : compiledFile(path));
}
