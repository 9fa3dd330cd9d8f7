import { randomBytes } from 'node:crypto';
import { Kind, Lexer, print, Source, type Token, TokenKind } from 'graphql';

/** A document whose literals the planner reads without a loss, and the way back. */
export interface ExactDocument {
  readonly text: string;
  /** A plan of it, with the literals as the client wrote them. */
  restore<Plan>(plan: Plan): Plan;
}

/**
 * Hides literals that the planner would reject or write differently. They become names of enum values, which it passes on.
 *
 * - Numbers: it holds integers in 64 bits and others as doubles, while an `ID` or a custom scalar such as a decimal takes
 *   any number of digits.
 * - Block strings: it drops white space of some, and ends the whole process at others (see `withoutBlockStrings`).
 * - Strings with a backspace, which it reads as another character.
 */
export function withExactLiterals(document: string): ExactDocument {
  if (!MAY_DIFFER.test(document)) return { text: document, restore: (plan) => plan };
  // Random, so that the document cannot contain it already.
  const prefix = `__literal_${randomBytes(8).toString('hex')}_`;
  /** By the literal, so that equal arguments stay equal. */
  const names = new Map<string, string>();
  const text = replaced(document, isInexact, (literal) => {
    const name = names.get(literal) ?? `${prefix}${names.size}`;
    names.set(literal, name);
    return name;
  });
  if (names.size === 0) return { text: document, restore: (plan) => plan };
  const literals = [...names.keys()].map((literal) => JSON.stringify(literal).slice(1, -1));
  const hidden = new RegExp(`${prefix}(\\d+)`, 'g');
  return {
    text,
    restore: (plan) => JSON.parse(JSON.stringify(plan).replace(hidden, (_, index) => literals[Number(index)] ?? '')),
  };
}

/**
 * A schema without block strings that the planner (0.0.38) may not survive: where white space of several bytes begins a line, it
 * cuts the line within a character, and that panic ends the process.
 */
export function withoutBlockStrings(sdl: string): string {
  if (!sdl.includes('"""') || !WIDE_SPACE.test(sdl)) return sdl;
  return replaced(
    sdl,
    ({ kind }) => kind === TokenKind.BLOCK_STRING,
    (_, { value }) => print({ kind: Kind.STRING, value }),
  );
}

/** A schema with small numbers in place of those that the planner cannot read. Planning needs no defaults. */
export function withSmallNumbers(sdl: string): string {
  return replaced(sdl, isInexactNumber, () => '0');
}

/** White space of Unicode that takes several bytes in UTF-8. */
const WIDE_SPACE = /[\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;

/** Whether a document has what looks like such a literal, in strings and names too. */
const MAY_DIFFER = /\d[.eE]|\d{16}|-0|"""|\\b|\\u0008/;

function isInexact(token: Token): boolean {
  const { kind, value } = token;
  if (kind === TokenKind.STRING) return value.includes('\b');
  return kind === TokenKind.BLOCK_STRING || isInexactNumber(token);
}

function isInexactNumber({ kind, value }: Token): boolean {
  if (kind === TokenKind.INT) return value.length > SAFE_DIGITS || value === '-0';
  return kind === TokenKind.FLOAT && String(Number(value)) !== value;
}

/** So many digits fit into 64 bits and into a double. A longer round integer may equal its double and yet not fit into 64 bits. */
const SAFE_DIGITS = 15;

/** A text with other texts in place of some of its tokens. */
function replaced(
  text: string,
  isMeant: (token: Token) => boolean,
  replacement: (literal: string, token: Token) => string,
): string {
  const lexer = new Lexer(new Source(text));
  let made = '';
  let end = 0;
  for (let token = lexer.advance(); token.kind !== TokenKind.EOF; token = lexer.advance()) {
    if (!isMeant(token)) continue;
    made += text.slice(end, token.start) + replacement(text.slice(token.start, token.end), token);
    end = token.end;
  }
  return made + text.slice(end);
}
