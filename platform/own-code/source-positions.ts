import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compiledFile, packageDirectory } from './package-files.ts';

/** A position in compiled code, as stacks contain it. */
const PLACE = /file:\/\/\/[^\s():]+\.js:\d+:\d+/g;

/** The most positions that are cached. Stacks come from few places of the code. */
const MAX_PLACES = 1_000;

/**
 * A large source map takes some fifty milliseconds, during which nothing else runs. The limit keeps this to half a second in
 * each minute.
 */
const MAX_MAPS_A_MINUTE = 10;
const MINUTE_MS = 60_000;

/** The functions for reading source maps. */
export interface SourceMapReading {
  /** @returns the text of a file. @throws Error if it does not exist. */
  readonly read: (file: string) => string;
  /** @returns milliseconds. */
  readonly now: () => number;
}

const FROM_DISK: SourceMapReading = { read: (file) => readFileSync(file, 'utf8'), now: () => performance.now() };

/** Returns the source map of a compiled file, or undefined if there is none or it is not read now. */
type MapOf = (file: string) => SourceMap | undefined;

/**
 * Returns a function that replaces positions in stacks by source positions: `gateway/pipeline/run.ts:12:5` instead of
 * `file:///…/dist/chunks/gateway/chunk-ABC.js:3456:7`. Positions without a source map stay unchanged.
 *
 * Node.js's own `--enable-source-maps` reads the maps of all code at the start, and maps the stack of every error that is
 * accessed. Here, an error costs nothing until it is written. Then each file with new positions in the stack costs up to some
 * fifty milliseconds. Maps are not kept, since they are large. If many different errors occur, positions that would need more
 * than ten maps a minute stay unchanged, and are mapped in a later minute.
 */
export function sourcePositions({ read, now }: SourceMapReading = FROM_DISK): (stack: string) => string {
  const known = new Map<string, string>();
  let minuteEndsAt = now() + MINUTE_MS;
  let mapsLeft = MAX_MAPS_A_MINUTE;

  /** Returns whether another map may be read, and counts it. */
  function takeMap(): boolean {
    if (now() >= minuteEndsAt) {
      minuteEndsAt = now() + MINUTE_MS;
      mapsLeft = MAX_MAPS_A_MINUTE;
    }
    return mapsLeft-- > 0;
  }

  return (stack) => {
    const maps = new Map<string, SourceMap | undefined>();
    const mapOf: MapOf = (file) => {
      if (!maps.has(file)) maps.set(file, takeMap() ? readMap(file, read) : undefined);
      return maps.get(file);
    };
    return stack.replace(PLACE, (place) => {
      const before = known.get(place);
      if (before !== undefined) return before;
      const source = sourcePositionOf(place, mapOf);
      if (source === undefined) return place;
      if (known.size >= MAX_PLACES) known.clear();
      known.set(place, source);
      return source;
    });
  };
}

function sourcePositionOf(place: string, mapOf: MapOf): string | undefined {
  const [, url = '', line, column] = /^(.+):(\d+):(\d+)$/.exec(place) ?? [];
  try {
    const file = fileURLToPath(url);
    // A stack also contains the message, which may name any file, and packages have no maps.
    if (!file.startsWith(compiledFile('/'))) return undefined;
    const found = mapOf(file)?.findEntry(Number(line) - 1, Number(column) - 1);
    if (!found || !('originalSource' in found)) return undefined;
    const source = relative(packageDirectory(), resolve(dirname(file), found.originalSource));
    return `${source}:${found.originalLine + 1}:${found.originalColumn + 1}`;
  } catch {
    // A message may contain the name of something that is not a file.
    return undefined;
  }
}

function readMap(file: string, read: SourceMapReading['read']): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(read(`${file}.map`)));
  } catch {
    return undefined;
  }
}
