import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Document, isNode, LineCounter, parseDocument } from 'yaml';
import type { z } from 'zod';
import type { MetadataProblem } from './problem.ts';

/**
 * Reads one metadata file and checks it against `schema`. A file that does not exist counts as `whenAbsent`.
 * What is wrong is added to `problems`; the result is then `whenAbsent` too.
 */
export function readYamlFile<T>(
  directory: string,
  file: string,
  schema: z.ZodType<T>,
  whenAbsent: T,
  problems: MetadataProblem[],
): T {
  const text = readText(directory, file, problems);
  if (text === undefined) return whenAbsent;

  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  if (document.errors.length > 0) {
    for (const error of document.errors)
      problems.push({ file, line: lines.linePos(error.pos[0]).line, message: error.message });
    return whenAbsent;
  }
  if (document.contents === null) return whenAbsent;

  const parsed = schema.safeParse(document.toJS());
  if (parsed.success) return parsed.data;
  for (const issue of parsed.error.issues) {
    const line = lineOf(document, lines, issue.path);
    problems.push({ file, ...(line && { line }), path: pathText(issue.path), message: issue.message });
  }
  return whenAbsent;
}

/** A metadata file's text, or undefined when there is no such file. */
export function readText(directory: string, file: string, problems: MetadataProblem[]): string | undefined {
  try {
    return readFileSync(join(directory, file), 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT') problems.push({ file, message: `cannot be read (${code})` });
    return undefined;
  }
}

function lineOf(document: Document, lines: LineCounter, path: readonly PropertyKey[]): number | undefined {
  // A missing key has no place of its own; what it is missing from has.
  for (let length = path.length; length >= 0; length--) {
    const node = document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return lines.linePos(node.range[0]).line;
  }
  return undefined;
}

function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
    .join('')
    .replace(/^\./, '');
}
