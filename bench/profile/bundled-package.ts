import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** What the bundler writes above each file of a package. */
const FILE = /^ *\/\/ node_modules\/(?:.*\/node_modules\/)?((?:@[^/]+\/)?[^/]+)\//;

/**
 * The package that a line of a file in `dist/packages/` comes from: `url` is that of the file, lines are counted from 0.
 * Undefined where nothing says it.
 */
export type BundledPackage = (url: string, line: number) => string | undefined;

/** Reads each bundle once. */
export function bundledPackages(): BundledPackage {
  const linesByUrl = new Map<string, readonly string[]>();
  return (url, line) => {
    const lines = linesByUrl.get(url) ?? readLines(url);
    linesByUrl.set(url, lines);
    for (let i = Math.min(line, lines.length - 1); i >= 0; i--) {
      const name = FILE.exec(lines[i] ?? '')?.[1];
      if (name !== undefined) return name;
    }
    return undefined;
  };
}

function readLines(url: string): readonly string[] {
  const path = fileURLToPath(url);
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n') : [];
}
