import { parse, print, type Token, TokenKind } from 'graphql';

/**
 * A document in the usual form. Where it has comments, which that form has no place for, its lines stay and are indented.
 *
 * @throws GraphQLError where it cannot be parsed.
 */
export function prettify(text: string): string {
  const document = parse(text);
  const tokens = tokensFrom(document.loc?.startToken);
  if (!tokens.some(({ kind }) => kind === TokenKind.COMMENT)) return `${print(document)}\n`;
  return `${reindented(text, tokens).trimEnd()}\n`;
}

function tokensFrom(first: Token | undefined): readonly Token[] {
  const tokens: Token[] = [];
  for (let token = first?.next; token && token.kind !== TokenKind.EOF; token = token.next) tokens.push(token);
  return tokens;
}

const OPENING: ReadonlySet<string> = new Set([TokenKind.BRACE_L, TokenKind.PAREN_L, TokenKind.BRACKET_L]);
const CLOSING: ReadonlySet<string> = new Set([TokenKind.BRACE_R, TokenKind.PAREN_R, TokenKind.BRACKET_R]);

function reindented(text: string, tokens: readonly Token[]): string {
  /** By the number of a line, how deep what it begins with is. */
  const depths = new Map<number, number>();
  let depth = 0;
  let endOfLast = 0;
  for (const { kind, line, start, end } of tokens) {
    if (CLOSING.has(kind)) depth--;
    // A line that a block string ends on belongs to that string.
    if (line > endOfLast && !depths.has(line)) depths.set(line, depth);
    if (OPENING.has(kind)) depth++;
    endOfLast = line + text.slice(start, end).split('\n').length - 1;
  }
  return text
    .split('\n')
    .map((content, at) => {
      const ofLine = depths.get(at + 1);
      return ofLine === undefined ? content : '  '.repeat(ofLine) + content.trim();
    })
    .join('\n');
}
