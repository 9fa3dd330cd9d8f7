import { readFileSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { compiledFile, type Logger } from '../../../platform/index.ts';

/** The output directory of `build/console.mjs`. A gateway that runs from its sources uses it too. */
const BUILT_DIR = compiledFile('console');

const manifestShape = z.object({
  files: z.record(z.string(), z.object({ type: z.string(), codings: z.array(z.enum(['br', 'gzip'])) })),
});

/** A content coding in which the build stores files. */
export type BuiltCoding = 'br' | 'gzip';

const FILE_EXTENSIONS: Readonly<Record<BuiltCoding, string>> = { br: '.br', gzip: '.gz' };

/** A file of the built console. */
export interface ConsoleFile {
  readonly type: string;
  readonly codings: readonly BuiltCoding[];
  /** Returns the content in a coding, or uncompressed. It is read once, when it is first requested. */
  content(coding: BuiltCoding | undefined): Promise<Buffer>;
}

/** The files of the built console by name. The build lists the names, so no other name reaches the disk. */
export interface ConsoleFiles {
  find(name: string): ConsoleFile | undefined;
  /** Switches to the files of a later build, which has removed the current ones. */
  refresh(): void;
}

/** The page, with placeholders for the parts that depend on its address. */
export const INDEX_FILE = 'index.html';

const MANIFEST_FILE = 'manifest.json';

/** Reads the list of files. @returns undefined if the console has not been built. This is logged. */
export function readConsoleFiles(log: Logger, directory = BUILT_DIR): ConsoleFiles | undefined {
  const manifest = join(directory, MANIFEST_FILE);
  let builtAt = modifiedAt(manifest);
  if (builtAt === undefined) {
    log.warn({ event: 'console.missing' }, 'the console is not served because it is not built: npm run build');
    return undefined;
  }
  let files = listedFiles(directory);
  return {
    find: (name) => files.get(name),
    refresh: () => {
      const now = modifiedAt(manifest);
      if (now === undefined || now === builtAt) return;
      builtAt = now;
      files = listedFiles(directory);
    },
  };
}

function modifiedAt(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs;
}

function listedFiles(directory: string): ReadonlyMap<string, ConsoleFile> {
  const { files } = manifestShape.parse(JSON.parse(readFileSync(join(directory, MANIFEST_FILE), 'utf8')));
  return new Map(
    Object.entries(files).map(([name, { type, codings }]) => [name, new BuiltFile(directory, name, type, codings)]),
  );
}

class BuiltFile implements ConsoleFile {
  readonly type: string;
  readonly codings: readonly BuiltCoding[];
  readonly #path: string;
  readonly #contents = new Map<string, Promise<Buffer>>();

  constructor(directory: string, name: string, type: string, codings: readonly BuiltCoding[]) {
    this.#path = join(directory, name);
    this.type = type;
    this.codings = codings;
  }

  content(coding: BuiltCoding | undefined): Promise<Buffer> {
    const ending = coding === undefined ? '' : FILE_EXTENSIONS[coding];
    const known = this.#contents.get(ending);
    if (known) return known;
    const read = readFile(this.#path + ending);
    this.#contents.set(ending, read);
    // The next request tries again.
    read.catch(() => this.#contents.delete(ending));
    return read;
  }
}
