import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageDirectory } from './package-files.ts';

/** A place in compiled code, as stacks have it. */
const PLACE = /file:\/\/\/[^\s():]+\.js:\d+:\d+/g;

/** Stacks come from few places of the code; beyond so many, places are read from their source maps again. */
const MAX_PLACES = 1_000;

/**
 * Returns what names sources in stacks: `gateway/operation/run.ts:12:5` in place of
 * `file:///…/dist/chunks/gateway/chunk-ABC.js:3456:7`. Places that have no source map stay.
 *
 * Node's own `--enable-source-maps` reads the maps of all code at the start, and maps the stack of every error that
 * something looks at. With this an error costs nothing until it is written, the first one of a place some milliseconds.
 */
export function sourcePositions(): (stack: string) => string {
  const known = new Map<string, string>();
  const sourceAt = (place: string): string => {
    const before = known.get(place);
    if (before !== undefined) return before;
    if (known.size >= MAX_PLACES) known.clear();
    const source = readSource(place) ?? place;
    known.set(place, source);
    return source;
  };
  return (stack) => stack.replace(PLACE, sourceAt);
}

function readSource(place: string): string | undefined {
  const [, url = '', line, column] = /^(.+):(\d+):(\d+)$/.exec(place) ?? [];
  try {
    const file = fileURLToPath(url);
    const map = new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8')));
    const found = map.findEntry(Number(line) - 1, Number(column) - 1);
    if (!('originalSource' in found)) return undefined;
    const source = relative(packageDirectory(), resolve(dirname(file), found.originalSource));
    return `${source}:${found.originalLine + 1}:${found.originalColumn + 1}`;
  } catch {
    // Packages have no maps, and code that runs from its sources needs none.
    return undefined;
  }
}
