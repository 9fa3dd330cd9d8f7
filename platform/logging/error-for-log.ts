import { stdSerializers } from 'pino';

/** Fields of PostgreSQL's errors that quote rows or statements (see "Error and Notice Message Fields" in its manual). */
const QUOTING_FIELDS = ['detail', 'where', 'hint', 'internalQuery'] as const;
/** Fields that are not logged. A position refers to a statement that is not logged either. */
const OMITTED_FIELDS: ReadonlySet<string> = new Set([...QUOTING_FIELDS, 'internalPosition']);
/** Fields that identify the error and quote nothing. */
const CODE_FIELDS: ReadonlySet<string> = new Set(['code', 'originalCode']);
/** Classes of errors whose messages quote values: data (22), and errors that a function of the database raises (P0). */
const QUOTING_CLASSES: ReadonlySet<string> = new Set(['22', 'P0']);
const SQLSTATE = /^[0-9A-Z]{5}$/;
/** Shorter texts would also match where they are not quotes. */
const MIN_QUOTE_LENGTH = 4;
/** The maximum nesting of errors: a driver's error within one of a client library, within one of a use case. */
const MAX_DEPTH = 8;
/** The most objects of an error, and fields of each, that are examined. An error may refer to a whole connection or request. */
const MAX_VALUES = 1_000;
const OMITTED = '…';

/**
 * Prepares an error for the log. Everything that PostgreSQL quotes, such as values of rows, is removed, wherever the driver's
 * error is nested. Only the code, the message and the names of the schema remain.
 */
export function errorForLog(error: unknown): unknown {
  const { quotes, mayQuote } = collectQuotes(error);
  const serialized: unknown = stdSerializers.err(error as Error);
  return mayQuote ? withoutQuotes(serialized, quotes) : serialized;
}

interface Quotes {
  /** The longer quotes first, since a shorter one may be part of them. */
  readonly quotes: readonly string[];
  /** Whether the error contains one of PostgreSQL's, or was too large to examine completely. */
  readonly mayQuote: boolean;
}

/** Collects quoted values, those of outer errors first. */
function collectQuotes(error: unknown): Quotes {
  const quotes = new Set<string>();
  const found = new Set<object>();
  const add = (value: unknown) => {
    if (typeof value === 'object' && value !== null && !ArrayBuffer.isView(value)) found.add(value);
  };
  let mayQuote = false;
  let looked = 0;
  add(error);
  // Iteration includes values that are added meanwhile.
  for (const value of found) {
    if (++looked > MAX_VALUES) return { quotes: longestFirst(quotes), mayQuote: true };
    const fields = value as Readonly<Record<string, unknown>>;
    if (addQuotes(fields, quotes)) mayQuote = true;
    // These properties are not enumerable. `errors` belongs to AggregateError, `originalError` to GraphQL's errors.
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

/** Returns a copy of the serializer's result. Repeated values are copied once. */
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
