import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { dirname, join, normalize, sep } from 'node:path';
import { type Document, isMap, isNode, isScalar, LineCounter, parseDocument } from 'yaml';
import { INCLUDE, includeTag } from './include-tag.ts';
import type { MetadataProblem } from './problem.ts';
import { syntaxProblems } from './yaml-syntax.ts';

/** A path into a value: keys of mappings, positions in lists. */
export type ValuePath = readonly PropertyKey[];

/** The location of a value in the files. */
export interface MetadataLocation {
  readonly file: string;
  /** Starting at 1. */
  readonly line?: number;
  /** The path within that file. */
  readonly path?: string;
}

/** The metadata files during loading. */
export interface MetadataFiles {
  /** The directory that all files are read from. Files outside it are never read. */
  readonly directory: string;
  /** The files read so far, relative to the directory. */
  readonly read: Set<string>;
  readonly problems: MetadataProblem[];
}

/** The value of a YAML file with all included files, and the location of each part. */
export interface YamlTree {
  readonly value: unknown;
  /** @param line a line within the value, starting at 1, if it is a text. It applies to texts that are written line by line. */
  place(path: ValuePath, line?: number): MetadataLocation;
}

interface IncludedFile {
  /** The path of this file's content in the whole value. */
  readonly at: ValuePath;
  readonly file: string;
  readonly document: Document;
  readonly lines: LineCounter;
}

const MAX_FILES = 1_000;

/**
 * Reads a YAML or JSON file and the files that it includes, each relative to the including file. Problems are added to
 * `problems`.
 *
 * @returns undefined if the file does not exist, is empty or has problems.
 */
export function readYamlTree(files: MetadataFiles, file: string): YamlTree | undefined {
  const parts: IncludedFile[] = [];
  const before = files.problems.length;
  const value = readPart(files, file, [], parts, []);
  if (value === undefined || value === null || files.problems.length > before) return undefined;
  return { value, place: (path, line) => findPlace(parts, path, line) };
}

/** Returns a metadata file's text, or undefined if it does not exist or cannot be read. The latter is added to the problems. */
export function readMetadataText({ directory, read, problems }: MetadataFiles, file: string): string | undefined {
  try {
    const bytes = readFileSync(join(directory, file));
    read.add(file);
    if (isUtf8(bytes)) return bytes.toString();
    problems.push({ file, message: 'is not UTF-8: save it in UTF-8' });
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT') problems.push({ file, message: `cannot be read (${code})` });
    return undefined;
  }
}

/** Returns a path in the metadata directory in its normal form, or undefined if it leads out of the directory. */
export function pathWithin(path: string): string | undefined {
  const plain = normalize(path);
  return plain === '..' || plain.startsWith(`..${sep}`) || plain.startsWith(sep) ? undefined : plain;
}

function readPart(
  files: MetadataFiles,
  file: string,
  at: ValuePath,
  parts: IncludedFile[],
  within: readonly string[],
): unknown {
  const { problems } = files;
  const text = readMetadataText(files, file);
  if (text === undefined) return undefined;
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    merge: true,
    customTags: [includeTag],
  });
  const wrong = syntaxProblems(text, document, lines);
  problems.push(...wrong.map((problem) => ({ file, ...problem })));
  if (wrong.length > 0) return undefined;
  parts.push({ at, file, document, lines });

  return withIncludes(documentContent(document, file, problems), [], (included, path) => {
    const line = lineAt(document, lines, path);
    const refuse = (message: string) => void problems.push({ file, ...(line && { line }), message });
    const target = pathWithin(join(dirname(file), included));
    if (target === undefined) return refuse(`"${included}" is outside of the metadata directory`);
    if (target === file || within.includes(target)) return refuse(`"${included}" includes itself`);
    if (parts.length >= MAX_FILES) return refuse(`more than ${MAX_FILES} files are included`);
    const before = problems.length;
    const value = readPart(files, target, [...at, ...path], parts, [...within, file]);
    if (value === undefined && problems.length === before) return refuse(`"${included}" does not exist`);
    return value;
  });
}

/** Aliases are resolved here, and the parser throws if there are so many that they would exhaust the memory. */
function documentContent(document: Document, file: string, problems: MetadataProblem[]): unknown {
  try {
    return document.toJS();
  } catch (error) {
    problems.push({ file, message: (error as Error).message });
    return undefined;
  }
}

function withIncludes(value: unknown, path: ValuePath, include: (file: string, path: ValuePath) => unknown): unknown {
  if (typeof value === 'string' && value.startsWith(INCLUDE)) return include(value.slice(INCLUDE.length).trim(), path);
  if (Array.isArray(value)) return value.map((item, index) => withIncludes(item, [...path, index], include));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, withIncludes(item, [...path, key], include)]),
  );
}

/** Returns the innermost file with the value at `path`, and the line in it. */
function findPlace(parts: readonly IncludedFile[], path: ValuePath, within = 1): MetadataLocation {
  const holding = parts
    .filter((part) => part.at.length <= path.length && part.at.every((key, index) => key === path[index]))
    .reduce<IncludedFile | undefined>(
      (best, part) => (best && best.at.length > part.at.length ? best : part),
      undefined,
    );
  if (!holding) return { file: parts[0]?.file ?? '' };
  const inner = path.slice(holding.at.length);
  const line = lineOfText(holding, inner, within) ?? lineAt(holding.document, holding.lines, inner);
  return { file: holding.file, ...(line && { line }), ...(inner.length > 0 && { path: pathText(inner) }) };
}

/** Returns the line of a text that is written line by line below its key. */
function lineOfText({ document, lines }: IncludedFile, path: ValuePath, within: number): number | undefined {
  const node = nodeAt(document, path);
  if (within < 1 || !isScalar(node) || node.type !== 'BLOCK_LITERAL' || !node.range) return undefined;
  const isWhole = within === 1;
  return isWhole ? undefined : lines.linePos(node.range[0]).line + within;
}

function lineAt(document: Document, lines: LineCounter, path: ValuePath): number | undefined {
  // A missing key has no location, so its nearest existing parent's is used.
  for (let length = path.length; length >= 0; length--) {
    const offset = offsetOf(document, path.slice(0, length));
    if (offset !== undefined) return lines.linePos(offset).line;
  }
  return undefined;
}

/** Returns the offset of a value in the text: in a mapping, the offset of its key. */
function offsetOf(document: Document, path: ValuePath): number | undefined {
  const parent = path.length > 0 ? nodeAt(document, path.slice(0, -1)) : undefined;
  if (isMap(parent)) {
    const pair = parent.items.find(({ key }) => isScalar(key) && String(key.value) === String(path.at(-1)));
    if (isNode(pair?.key)) return pair.key.range?.[0];
  }
  const node = nodeAt(document, path);
  return isNode(node) ? node.range?.[0] : undefined;
}

function nodeAt(document: Document, path: ValuePath): unknown {
  return path.length === 0 ? document.contents : document.getIn(path, true);
}

function pathText(path: ValuePath): string {
  return path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
    .join('')
    .replace(/^\./, '');
}
