import { stdSerializers } from 'pino';

/** Fields of PostgreSQL's errors that quote rows or statements (its manual, "Error and Notice Message Fields"). */
const QUOTING_FIELDS = ['detail', 'where', 'hint', 'internalQuery'] as const;
/** These are not logged. A position is one in a statement that is not logged either. */
const OMITTED_FIELDS: ReadonlySet<string> = new Set([...QUOTING_FIELDS, 'internalPosition']);
/** Say what happened and quote nothing. */
const CODE_FIELDS: ReadonlySet<string> = new Set(['code', 'originalCode']);
/** Errors whose messages quote values: data (22), and those that a function of the database raises (P0). */
const QUOTING_CLASSES: ReadonlySet<string> = new Set(['22', 'P0']);
const SQLSTATE = /^[0-9A-Z]{5}$/;
/** A shorter text is found in places that do not quote it. */
const MIN_QUOTE_LENGTH = 4;
/** Errors within errors: a driver's within that of a client's library, within the error of a use case. */
const MAX_DEPTH = 8;
/** Objects of an error that are looked at, and fields of each. An error may refer to all of a connection or a request. */
const MAX_VALUES = 1_000;
const OMITTED = '…';

/**
 * An error as it is logged. What PostgreSQL quotes in its errors, values of rows among it, is left out, wherever in the error
 * that of the driver is: only its code, its message and what it names of the schema say what happened.
 */
export function errorForLog(error: unknown): unknown {
  const { quotes, mayQuote } = collectQuotes(error);
  const serialized: unknown = stdSerializers.err(error as Error);
  return mayQuote ? withoutQuotes(serialized, quotes) : serialized;
}

interface Quotes {
  /** The longer ones first: a shorter one may be part of them. */
  readonly quotes: readonly string[];
  /** PostgreSQL's error is among it, or there was too much to look at all of it. */
  readonly mayQuote: boolean;
}

/** Collects what quotes values, of outer errors before inner ones. */
function collectQuotes(error: unknown): Quotes {
  const quotes = new Set<string>();
  const found = new Set<object>();
  const add = (value: unknown) => {
    if (typeof value === 'object' && value !== null && !ArrayBuffer.isView(value)) found.add(value);
  };
  let mayQuote = false;
  let looked = 0;
  add(error);
  // A set that grows meanwhile is walked to its new end.
  for (const value of found) {
    if (++looked > MAX_VALUES) return { quotes: longestFirst(quotes), mayQuote: true };
    const fields = value as Readonly<Record<string, unknown>>;
    if (addQuotes(fields, quotes)) mayQuote = true;
    // These are no enumerable properties; `errors` is that of an AggregateError, `originalError` of GraphQL's.
    for (const inner of [fields.cause, fields.errors, fields.originalError]) add(inner);
    const inside = Array.isArray(value) ? value : Object.values(fields);
    if (inside.length > MAX_VALUES) mayQuote = true;
    for (const inner of inside.slice(0, MAX_VALUES)) add(inner);
  }
  return { quotes: longestFirst(quotes), mayQuote };
}

/** @returns whether these are the fields of PostgreSQL's error. */
function addQuotes(fields: Readonly<Record<string, unknown>>, quotes: Set<string>): boolean {
  const code = [fields.code, fields.originalCode].find((one) => typeof one === 'string' && SQLSTATE.test(one));
  const isDriverError = typeof fields.severity === 'string' || typeof fields.originalMessage === 'string';
  if (typeof code !== 'string' || !isDriverError) return false;
  const messages = QUOTING_CLASSES.has(code.slice(0, 2)) ? ['message', 'originalMessage'] : [];
  for (const field of [...QUOTING_FIELDS, ...messages]) {
    const text = fields[field];
    if (typeof text === 'string' && text.length >= MIN_QUOTE_LENGTH) quotes.add(text);
  }
  return true;
}

function longestFirst(texts: ReadonlySet<string>): readonly string[] {
  return [...texts].sort((one, other) => other.length - one.length);
}

/** A copy of what the serializer made. What is there twice is copied once. */
function withoutQuotes(serialized: unknown, quotes: readonly string[]): unknown {
  const copied = new Set<object>();
  const copyOf = (value: unknown, depth: number): unknown => {
    if (typeof value === 'string') return quotes.reduce((text, quote) => text.replaceAll(quote, OMITTED), value);
    if (typeof value !== 'object' || value === null || value instanceof Date) return value;
    if (depth === 0 || copied.size >= MAX_VALUES || copied.has(value) || ArrayBuffer.isView(value)) return OMITTED;
    copied.add(value);
    if (Array.isArray(value)) return value.slice(0, MAX_VALUES).map((one) => copyOf(one, depth - 1));
    const copy: Record<string, unknown> = {};
    for (const [key, one] of Object.entries(value).slice(0, MAX_VALUES))
      if (!OMITTED_FIELDS.has(key))
        copy[key] = CODE_FIELDS.has(key) && typeof one === 'string' ? one : copyOf(one, depth - 1);
    return copy;
  };
  return copyOf(serialized, MAX_DEPTH);
}
