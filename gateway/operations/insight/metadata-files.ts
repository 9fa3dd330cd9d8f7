import { readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { loadMetadata, MetadataError, pathWithin } from '../../metadata/index.ts';
import { redactSdl, redactYaml } from './redact.ts';

/** Characters of a file that are shown. */
const MAX_FILE_TEXT = 262_144;

/** A file that the metadata is read from. */
export interface MetadataFile {
  /** Relative to the metadata's directory. */
  readonly name: string;
  readonly bytes: number;
}

/** Its text, without credentials; null where these cannot be told from the rest, since the file is not valid. */
export interface MetadataFileText extends MetadataFile {
  readonly text: string | null;
  /** Whether the text goes on. */
  readonly truncated: boolean;
}

/** The files that the metadata on disk is read from, in the order of their names. Those that are not read are not among them. */
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

/** @returns undefined for a name that is none of them. */
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

/** Files that are included in place of a credential, or below one. */
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

/** Metadata may be one file. */
function directoryOf(location: string): string {
  return statSync(location).isFile() ? dirname(location) : location;
}
