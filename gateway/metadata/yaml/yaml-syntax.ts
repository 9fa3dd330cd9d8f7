import { type Document, isMap, isScalar, type LineCounter, visit, type YAMLError } from 'yaml';
import type { MetadataProblem } from './problem.ts';

type SyntaxProblem = Omit<MetadataProblem, 'file'>;

/** A template such as `{{NAME}}` at the beginning of a value without quotes, which YAML reads as a mapping. */
const BARE_TEMPLATE = /^[^#'"]*?(?::|-|\[|,)\s+(\{\{\s*\w+\s*\}\}[^\s#]*)/;

/** An empty list on a line of its own, with entries before or after it, as in a file of `portico init` that was edited. */
const EMPTY_LIST = /^\[\s*\]\s*(#.*)?$/m;

const ASTERISK = 'a text that begins with * requires quotes';

/**
 * Returns the syntax errors of a YAML text. The parser continues after its first error and mostly reports consequences of it,
 * so only the first one is returned. Templates without quotes are all returned.
 */
export function syntaxProblems(text: string, document: Document, lines: LineCounter): readonly SyntaxProblem[] {
  const bare = bareTemplates(text, document, lines);
  if (bare.length > 0) return bare;
  const [first] = document.errors;
  if (!first) return unresolvedAliases(document, lines);
  const { line, col: column } = lines.linePos(first.pos[0]);
  return [{ line, column, message: syntaxMessage(first, text) }];
}

/** Returns the parser's message, with a remedy for the most common mistakes. */
function syntaxMessage({ code, message, pos: [offset] }: YAMLError, text: string): string {
  const indent = /^\s*/.exec(text.slice(text.lastIndexOf('\n', offset - 1) + 1))?.[0] ?? '';
  if (indent.includes('\t')) return 'this line is indented with a tab: use spaces in YAML';
  switch (code) {
    case 'BLOCK_AS_IMPLICIT_KEY':
      return `${message}: the keys of a mapping must begin in the same column, and a text with a colon requires quotes`;
    case 'MULTILINE_IMPLICIT_KEY':
      return `${message}: a key requires a colon after it`;
    case 'BAD_ALIAS':
      return `${message}: ${ASTERISK}`;
    case 'BAD_SCALAR_START':
      return `${message}: the value requires quotes`;
    case 'DUPLICATE_KEY':
      return `${message}: ${/^[\w-]+/.exec(text.slice(offset))?.[0] ?? 'this key'} already exists`;
    case 'UNEXPECTED_TOKEN':
      if (EMPTY_LIST.test(text)) return `${message}: the line "[]" declares an empty list; remove it`;
      return `${message}: it is indented incorrectly, or the whole text requires quotes`;
    default:
      return /^Sequence item without -/.test(message)
        ? `${message}: the keys of an entry must begin in the same column as its first key`
        : message;
  }
}

/** Reports unresolved aliases: a text that begins with an asterisk is an alias in YAML, such as `*` for every origin. */
function unresolvedAliases(document: Document, lines: LineCounter): readonly SyntaxProblem[] {
  const found: SyntaxProblem[] = [];
  const anchors = new Set<string>();
  visit(document, {
    Value: (_, { anchor }) => {
      if (anchor !== undefined) anchors.add(anchor);
    },
    Alias: (_, node) => {
      if (!node.range || anchors.has(node.source)) return;
      const { line, col: column } = lines.linePos(node.range[0]);
      const message = `"*${node.source}" is an alias without an anchor: ${ASTERISK}`;
      found.push({ line, column, message });
    },
  });
  return found;
}

function bareTemplates(text: string, document: Document, lines: LineCounter): readonly SyntaxProblem[] {
  const found = new Map<number, SyntaxProblem>();
  const all = text.split('\n');
  const look = (offset: number) => {
    const { line } = lines.linePos(offset);
    const template = BARE_TEMPLATE.exec(all[line - 1] ?? '')?.[1];
    if (template === undefined) return;
    const column = (all[line - 1] ?? '').indexOf(template) + 1;
    found.set(line, { line, column, message: `a template requires quotes in YAML: "${template}"` });
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
