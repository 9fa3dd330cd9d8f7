import { type Document, isMap, isScalar, type LineCounter, visit } from 'yaml';
import type { MetadataProblem } from './problem.ts';

type SyntaxProblem = Omit<MetadataProblem, 'file'>;

/** A template such as `{{NAME}}` that begins a value and is not in quotes, which YAML takes for a mapping. */
const BARE_TEMPLATE = /^[^#'"]*?(?::|-|\[|,)\s+(\{\{\s*\w+\s*\}\}[^\s#]*)/;

/**
 * The syntax errors of a YAML text. The parser goes on after its first error and takes most of what follows for errors
 * too, so only the first one is reported; templates without quotes are all reported.
 */
export function syntaxProblems(text: string, document: Document, lines: LineCounter): readonly SyntaxProblem[] {
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

function bareTemplates(text: string, document: Document, lines: LineCounter): readonly SyntaxProblem[] {
  const found = new Map<number, SyntaxProblem>();
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
      const isBraces = node.flow && node.items.length === 1 && isMap(only?.key) && isEmptyValue(only.value);
      if (isBraces && node.range) look(node.range[0]);
    },
  });
  return [...found.values()].sort((one, other) => (one.line ?? 0) - (other.line ?? 0));
}

function isEmptyValue(value: unknown): boolean {
  return value === null || value === undefined || (isScalar(value) && value.value === null);
}
