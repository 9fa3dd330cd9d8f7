import { randomBytes } from 'node:crypto';
import { Lexer, Source, type Token, TokenKind } from 'graphql';

/** A document whose numbers the planner reads without a loss, and the way back. */
export interface ExactDocument {
  readonly text: string;
  /** A plan of it, with the numbers as the client wrote them. */
  restore<Plan>(plan: Plan): Plan;
}

/**
 * Hides numbers that the planner would reject or write differently: it holds integers in 64 bits and others as doubles, while
 * an `ID` or a custom scalar such as a decimal takes any number of digits. They become names of enum values, which it passes on.
 */
export function withExactNumbers(document: string): ExactDocument {
  if (!MAY_DIFFER.test(document)) return { text: document, restore: (plan) => plan };
  // Nobody can have written it in the document.
  const prefix = `__number_${randomBytes(8).toString('hex')}_`;
  /** By the number, so that equal arguments stay equal. */
  const names = new Map<string, string>();
  let text = '';
  let end = 0;
  for (const { start, end: next } of inexactNumbers(document)) {
    const number = document.slice(start, next);
    const name = names.get(number) ?? `${prefix}${names.size}`;
    names.set(number, name);
    text += document.slice(end, start) + name;
    end = next;
  }
  if (names.size === 0) return { text: document, restore: (plan) => plan };
  const numbers = [...names.keys()];
  const hidden = new RegExp(`${prefix}(\\d+)`, 'g');
  return {
    text: text + document.slice(end),
    restore: (plan) => JSON.parse(JSON.stringify(plan).replace(hidden, (_, index) => numbers[Number(index)] ?? '')),
  };
}

/** Whether a document has what looks like such a number, in strings and names too. */
const MAY_DIFFER = /\d[.eE]|\d{16}|-0/;

function* inexactNumbers(document: string): Generator<Token> {
  const lexer = new Lexer(new Source(document));
  for (let token = lexer.advance(); token.kind !== TokenKind.EOF; token = lexer.advance()) {
    if (token.kind === TokenKind.INT && (token.value.length > SAFE_DIGITS || token.value === '-0')) yield token;
    if (token.kind === TokenKind.FLOAT && String(Number(token.value)) !== token.value) yield token;
  }
}

/** So many digits fit into 64 bits and into a double. A longer round integer may equal its double and yet not fit into 64 bits. */
const SAFE_DIGITS = 15;
