import { readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { loadMetadata, MetadataError, pathWithin } from '../../metadata/index.ts';
import { redactSdl, redactYaml } from './redact.ts';

/** The most characters of a file that are shown. */
const MAX_FILE_TEXT = 262_144;

/** A file that the metadata is read from. */
export interface MetadataFile {
  /** Relative to the metadata directory. */
  readonly name: string;
  readonly bytes: number;
}

/** The text without credentials. Null if the file is invalid, since its credentials cannot be recognized then. */
export interface MetadataFileText extends MetadataFile {
  readonly text: string | null;
  /** Whether the text is truncated. */
  readonly truncated: boolean;
}

/** Lists the files that the metadata on disk consists of, sorted by name. Other files are not included. */
export function listFiles(location: string, closeRemoteSchemas: boolean): readonly MetadataFile[] {
  let files: ReadonlySet<string> = new Set();
  const onFiles = (read: ReadonlySet<string>) => {
    files = read;
  };
  try {
    loadMetadata(location, { closeRemoteSchemas, onFiles });
  } catch (error) {
    if (!(error instanceof MetadataError)) throw error;
  }
  return [...files].sort().flatMap((name) => {
    const found = statSync(join(directoryOf(location), name), { throwIfNoEntry: false });
    return found?.isFile() ? [{ name, bytes: found.size }] : [];
  });
}

/** @returns undefined if the metadata has no such file. */
export function showFile(location: string, closeRemoteSchemas: boolean, name: string): MetadataFileText | undefined {
  const files = listFiles(location, closeRemoteSchemas);
  const found = files.find((file) => file.name === name);
  if (!found) return undefined;
  const directory = directoryOf(location);
  const texts = new Map(files.map((file) => [file.name, readFileSync(join(directory, file.name), 'utf8')]));
  const text = shownText(name, texts, hiddenFiles(texts));
  if (text === undefined) return { ...found, text: null, truncated: false };
  return { ...found, text: text.slice(0, MAX_FILE_TEXT), truncated: text.length > MAX_FILE_TEXT };
}

function shownText(name: string, texts: ReadonlyMap<string, string>, hidden: ReadonlySet<string>): string | undefined {
  const text = texts.get(name) ?? '';
  return isSdl(name) ? redactSdl(text) : redactYaml(text, hidden.has(name)).text;
}

/** Returns files that are included in place of a credential, or below one. */
function hiddenFiles(texts: ReadonlyMap<string, string>): ReadonlySet<string> {
  const hidden = new Set<string>();
  for (let before = -1; before !== hidden.size; ) {
    before = hidden.size;
    for (const [name, text] of texts) {
      if (isSdl(name)) continue;
      for (const included of redactYaml(text, hidden.has(name)).hiddenIncludes) {
        const target = pathWithin(join(dirname(name), included));
        if (target !== undefined) hidden.add(target);
      }
    }
  }
  return hidden;
}

function isSdl(name: string): boolean {
  return /\.(?:graphqls?|gql|sdl)$/.test(name);
}

/** The metadata may be a single file. */
function directoryOf(location: string): string {
  return statSync(location).isFile() ? dirname(location) : location;
}
