import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Returns the absolute path of a file that is not compiled, such as a migration. `path` is relative to the package's root,
 * which is the only directory with a package.json. The same file is found from the sources and from `dist/`.
 */
export function fromPackageRoot(path: string): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) {
    if (folder === dirname(folder)) throw new Error('no package.json above the auth service');
    folder = dirname(folder);
  }
  return join(folder, path);
}
