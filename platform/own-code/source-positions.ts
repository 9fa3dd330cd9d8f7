import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compiledFile, packageDirectory } from './package-files.ts';

/** A place in compiled code, as stacks have it. */
const PLACE = /file:\/\/\/[^\s():]+\.js:\d+:\d+/g;

/** Stacks come from few places of the code; beyond so many, places are looked up in their source maps again. */
const MAX_PLACES = 1_000;

/** A large map takes some fifty milliseconds, in which nothing else runs: one minute spends half a second with them at most. */
const MAX_MAPS_A_MINUTE = 10;
const MINUTE_MS = 60_000;

/** What source maps are read with. */
export interface SourceMapReading {
  /** @returns the text of a file. @throws Error where it is not there. */
  readonly read: (file: string) => string;
  /** @returns milliseconds. */
  readonly now: () => number;
}

const FROM_DISK: SourceMapReading = { read: (file) => readFileSync(file, 'utf8'), now: () => performance.now() };

/** The source map of a compiled file; undefined: there is none, or it is not read now. */
type MapOf = (file: string) => SourceMap | undefined;

/**
 * Returns what names sources in stacks: `gateway/pipeline/run.ts:12:5` in place of
 * `file:///…/dist/chunks/gateway/chunk-ABC.js:3456:7`. Places that have no source map stay.
 *
 * Node's own `--enable-source-maps` reads the maps of all code at the start, and maps the stack of every error that
 * something looks at. With this an error costs nothing until it is written, and then each file that its stack has new places in
 * costs up to some fifty milliseconds. Maps are not kept, since they are large. Under a storm of different errors, places that
 * would take more than ten maps a minute stay as they are, and are named in a later minute.
 */
export function sourcePositions({ read, now }: SourceMapReading = FROM_DISK): (stack: string) => string {
  const known = new Map<string, string>();
  let minuteEndsAt = now() + MINUTE_MS;
  let mapsLeft = MAX_MAPS_A_MINUTE;

  /** Whether one more may be read; it counts as read. */
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
    // A stack has the message too, which may name any file, and packages have no maps.
    if (!file.startsWith(compiledFile('/'))) return undefined;
    const found = mapOf(file)?.findEntry(Number(line) - 1, Number(column) - 1);
    if (!found || !('originalSource' in found)) return undefined;
    const source = relative(packageDirectory(), resolve(dirname(file), found.originalSource));
    return `${source}:${found.originalLine + 1}:${found.originalColumn + 1}`;
  } catch {
    // A message may name what is no file.
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
