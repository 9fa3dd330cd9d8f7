import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The comment that the bundler writes above the code of each file. */
const FILE = /^ *\/\/ ((?:node_modules|auth-service|examples|gateway|platform|start)\/\S+\.[cm]?[jt]s)$/;

/**
 * Returns the file that a line of a bundle in `dist/` comes from, such as `node_modules/undici/index.js` or
 * `gateway/server.ts`. Lines are counted from 0. Undefined if the bundle does not state it.
 */
export type BundledFile = (url: string, line: number) => string | undefined;

/** Reads each bundle once. */
export function bundledFiles(): BundledFile {
  const linesByUrl = new Map<string, readonly string[]>();
  return (url, line) => {
    if (!url.includes('/dist/')) return undefined;
    const lines = linesByUrl.get(url) ?? readLines(url);
    linesByUrl.set(url, lines);
    for (let i = Math.min(line, lines.length - 1); i >= 0; i--) {
      const file = FILE.exec(lines[i] ?? '')?.[1];
      if (file !== undefined) return file;
    }
    return undefined;
  };
}

function readLines(url: string): readonly string[] {
  const path = fileURLToPath(url);
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n') : [];
}
