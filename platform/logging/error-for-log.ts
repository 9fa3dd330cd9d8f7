import { stdSerializers } from 'pino';

/** Fields of PostgreSQL's errors that quote rows or statements (its manual, "Error and Notice Message Fields"). */
const QUOTING_FIELDS: ReadonlySet<string> = new Set(['detail', 'where', 'hint', 'internalQuery', 'internalPosition']);
/** Errors whose messages quote values: data (22), and those that a function of the database raises (P0). */
const QUOTING_CLASSES: ReadonlySet<string> = new Set(['22', 'P0']);
const SQLSTATE = /^[0-9A-Z]{5}$/;
/** Errors within errors: a driver's within that of a client's library, within the error of a use case. */
const MAX_DEPTH = 8;
const OMITTED = '…';

/**
 * An error as it is logged. What PostgreSQL quotes in its errors, values of rows among it, is left out, wherever in the error
 * that of the driver is: only its code, its message and what it names of the schema say what happened.
 */
export function errorForLog(error: unknown): unknown {
  const quotes = new Set<string>();
  const isOfDatabase = collectQuotes(error, quotes, MAX_DEPTH);
  const serialized: unknown = stdSerializers.err(error as Error);
  return isOfDatabase ? withoutQuotes(serialized, [...quotes], MAX_DEPTH) : serialized;
}

/** Collects what quotes values. @returns whether PostgreSQL's error is among it. */
function collectQuotes(value: unknown, quotes: Set<string>, depth: number): boolean {
  if (typeof value !== 'object' || value === null || depth === 0) return false;
  const fields = value as Readonly<Record<string, unknown>>;
  let isFound = false;
  const code = [fields.code, fields.originalCode].find((one) => typeof one === 'string' && SQLSTATE.test(one));
  const isDriverError = typeof fields.severity === 'string' || typeof fields.originalMessage === 'string';
  if (typeof code === 'string' && isDriverError) {
    isFound = true;
    for (const field of QUOTING_FIELDS) addText(fields[field], quotes);
    if (QUOTING_CLASSES.has(code.slice(0, 2)))
      for (const field of ['message', 'originalMessage']) addText(fields[field], quotes);
  }
  // These are no enumerable properties; `errors` is that of an AggregateError, `originalError` of GraphQL's.
  const { cause, errors, originalError } = fields;
  const inner = [cause, errors, originalError, ...Object.values(fields)];
  for (const one of inner) if (collectQuotes(one, quotes, depth - 1)) isFound = true;
  return isFound;
}

function addText(value: unknown, texts: Set<string>): void {
  if (typeof value === 'string' && value !== '') texts.add(value);
}

/** A copy of what the serializer made. */
function withoutQuotes(value: unknown, quotes: readonly string[], depth: number): unknown {
  if (typeof value === 'string') return quotes.reduce((text, quote) => text.replaceAll(quote, OMITTED), value);
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  if (depth === 0) return OMITTED;
  if (Array.isArray(value)) return value.map((one) => withoutQuotes(one, quotes, depth - 1));
  const copy: Record<string, unknown> = {};
  for (const [key, one] of Object.entries(value))
    if (!QUOTING_FIELDS.has(key)) copy[key] = withoutQuotes(one, quotes, depth - 1);
  return copy;
}
