import { readFileSync } from 'node:fs';
import { dirname, join, normalize, sep } from 'node:path';
import { type Document, isNode, LineCounter, parseDocument, type ScalarTag } from 'yaml';
import type { MetadataProblem } from './problem.ts';

/** A path into a value: keys of mappings, positions in lists. */
export type ValuePath = readonly PropertyKey[];

/** Where a value stands in the files. */
export interface Place {
  readonly file: string;
  /** 1-based. */
  readonly line?: number;
  /** The path within that file. */
  readonly path?: string;
}

/** The value of a YAML file with everything that it includes, and where each part of it comes from. */
export interface YamlTree {
  readonly value: unknown;
  place(path: ValuePath): Place;
}

interface Part {
  /** Where in the whole value this file's content stands. */
  readonly at: ValuePath;
  readonly file: string;
  readonly document: Document;
  readonly lines: LineCounter;
}

const INCLUDE = '!include ';
const MAX_FILES = 1_000;

// Hasura writes `"!include other.yaml"` as a text; YAML would have it as a tag. Both are understood.
const includeTag: ScalarTag = { tag: '!include', resolve: (file) => INCLUDE + file };

/**
 * Reads a YAML or JSON file and the files that it includes, which stand relative to it and within `directory`.
 * What is wrong is added to `problems`.
 *
 * @returns undefined when the file does not exist, is empty, or something is wrong.
 */
export function readYamlTree(directory: string, file: string, problems: MetadataProblem[]): YamlTree | undefined {
  const parts: Part[] = [];
  const before = problems.length;
  const value = readPart(directory, file, [], parts, [], problems);
  if (value === undefined || value === null || problems.length > before) return undefined;
  return { value, place: (path) => placeOf(parts, path) };
}

/** A metadata file's text, or undefined when there is none. */
export function readText(directory: string, file: string, problems: MetadataProblem[]): string | undefined {
  try {
    return readFileSync(join(directory, file), 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT') problems.push({ file, message: `cannot be read (${code})` });
    return undefined;
  }
}

function readPart(
  directory: string,
  file: string,
  at: ValuePath,
  parts: Part[],
  within: readonly string[],
  problems: MetadataProblem[],
): unknown {
  const text = readText(directory, file, problems);
  if (text === undefined) return undefined;
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, customTags: [includeTag] });
  for (const error of document.errors)
    problems.push({ file, line: lines.linePos(error.pos[0]).line, message: error.message });
  if (document.errors.length > 0) return undefined;
  parts.push({ at, file, document, lines });

  return withIncludes(document.toJS(), [], (included, path) => {
    const line = lineOf(document, lines, path);
    const target = normalize(join(dirname(file), included));
    const refuse = (message: string) => void problems.push({ file, ...(line && { line }), message });
    if (target.startsWith(`..${sep}`) || target.startsWith(sep))
      return refuse(`"${included}" is outside of the metadata directory`);
    if (target === file || within.includes(target)) return refuse(`"${included}" includes itself`);
    if (parts.length >= MAX_FILES) return refuse(`more than ${MAX_FILES} files are included`);
    const before = problems.length;
    const value = readPart(directory, target, [...at, ...path], parts, [...within, file], problems);
    if (value === undefined && problems.length === before) return refuse(`"${included}" does not exist`);
    return value;
  });
}

function withIncludes(value: unknown, path: ValuePath, include: (file: string, path: ValuePath) => unknown): unknown {
  if (typeof value === 'string' && value.startsWith(INCLUDE)) return include(value.slice(INCLUDE.length).trim(), path);
  if (Array.isArray(value)) return value.map((item, index) => withIncludes(item, [...path, index], include));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, withIncludes(item, [...path, key], include)]),
  );
}

/** The innermost file that holds the value at `path`, and the line there. */
function placeOf(parts: readonly Part[], path: ValuePath): Place {
  const holding = parts
    .filter((part) => part.at.length <= path.length && part.at.every((key, index) => key === path[index]))
    .reduce<Part | undefined>((best, part) => (best && best.at.length > part.at.length ? best : part), undefined);
  if (!holding) return { file: parts[0]?.file ?? '' };
  const inner = path.slice(holding.at.length);
  const line = lineOf(holding.document, holding.lines, inner);
  return { file: holding.file, ...(line && { line }), ...(inner.length > 0 && { path: pathText(inner) }) };
}

function lineOf(document: Document, lines: LineCounter, path: ValuePath): number | undefined {
  // A missing key has no place of its own; what it is missing from has.
  for (let length = path.length; length >= 0; length--) {
    const node = length === 0 ? document.contents : document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return lines.linePos(node.range[0]).line;
  }
  return undefined;
}

function pathText(path: ValuePath): string {
  return path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
    .join('')
    .replace(/^\./, '');
}
