import { type Document, isMap, isScalar, type LineCounter, visit } from 'yaml';
import type { MetadataProblem } from './problem.ts';

type Problem = Omit<MetadataProblem, 'file'>;

/** A template such as `{{NAME}}` that begins a value and is not in quotes, which YAML takes for a mapping. */
const BARE_TEMPLATE = /^[^#'"]*?(?::|-|\[|,)\s+(\{\{\s*\w+\s*\}\}[^\s#]*)/;

/**
 * What keeps a text from being YAML. The parser goes on after its first error and takes most of what follows for errors
 * too, so that only the first one is told; templates without quotes are told each.
 */
export function syntaxProblems(text: string, document: Document, lines: LineCounter): readonly Problem[] {
  const bare = bareTemplates(text, document, lines);
  if (bare.length > 0) return bare;
  const [first] = document.errors;
  if (!first) return [];
  const { line, col: column } = lines.linePos(first.pos[0]);
  const message = /^Tabs are not allowed as indentation/.test(first.message)
    ? 'a tab indents this line: YAML is indented by spaces'
    : first.message;
  return [{ line, column, message }];
}

function bareTemplates(text: string, document: Document, lines: LineCounter): readonly Problem[] {
  const found = new Map<number, Problem>();
  const all = text.split('\n');
  const look = (offset: number) => {
    const { line } = lines.linePos(offset);
    const template = BARE_TEMPLATE.exec(all[line - 1] ?? '')?.[1];
    if (template === undefined) return;
    const column = (all[line - 1] ?? '').indexOf(template) + 1;
    found.set(line, { line, column, message: `a template needs quotes in YAML: "${template}"` });
  };
  for (const error of document.errors) look(error.pos[0]);
  visit(document, {
    Map: (_, node) => {
      const [only] = node.items;
      const isBraces = node.flow && node.items.length === 1 && isMap(only?.key) && isLeft(only.value);
      if (isBraces && node.range) look(node.range[0]);
    },
  });
  return [...found.values()].sort((one, other) => (one.line ?? 0) - (other.line ?? 0));
}

function isLeft(value: unknown): boolean {
  return value === null || value === undefined || (isScalar(value) && value.value === null);
}
