import { type GraphQLSchema, isEnumType, isInputObjectType, Kind, type TypeNode } from 'graphql';
import { isJsonObject } from '../../../platform/index.ts';
import { GatewayError } from '../../errors.ts';
import { isNumberScalar } from '../../metadata/index.ts';
import { parseShallowJson } from '../http/index.ts';

/** Returns the kind of a variable's type, which decides how a text of the URL is parsed. */
export type KindOfType = (name: string) => 'enum' | 'input-object' | 'number' | 'scalar';

/** Types that JSON represents as a number: GraphQL's, those that Hasura parses as numbers, and PostgreSQL's others. */
const NUMBERS = new Set([
  ...['Int', 'Float', 'Number', 'Double'],
  ...['smallint', 'int2', 'integer', 'int4', 'bigint', 'int8', 'real', 'float4', 'float8', 'numeric', 'decimal'],
]);
const BOOLEANS = new Set(['Boolean', 'bool']);
/** Other types whose values contain no comma. */
const WITHOUT_COMMA = new Set(['uuid', 'UUID', 'date']);

const JSON_NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

/** Returns the kinds of the types of some schemas. Unknown types count as scalars. */
export function kindsOfTypes(schemas: readonly GraphQLSchema[]): KindOfType {
  return (name) => {
    const types = schemas.map((schema) => schema.getType(name));
    if (types.some((type) => isInputObjectType(type))) return 'input-object';
    if (types.some(isNumberScalar)) return 'number';
    return types.some((type) => isEnumType(type)) ? 'enum' : 'scalar';
  };
}

/**
 * Parses a text of the URL by the type that the operation declares, as Hasura does. An empty text is `true` for a Boolean, and
 * null for other nullable types. Numbers and booleans are parsed as JSON. An unparsable text stays a text, which variable
 * coercion then rejects.
 *
 * Beyond Hasura, an input object is parsed as JSON. A list may be a JSON array, empty for the empty list, or items separated by
 * commas if its items cannot contain commas. Any other text is the only item.
 */
export function readTextValue(text: string, type: TypeNode, kindOf: KindOfType): unknown {
  const nullable = type.kind !== Kind.NON_NULL_TYPE;
  const inner = type.kind === Kind.NON_NULL_TYPE ? type.type : type;
  if (inner.kind === Kind.LIST_TYPE) return text === '' && nullable ? null : readListText(text, inner.type, kindOf);
  const { value: name } = inner.name;
  if (BOOLEANS.has(name)) return text === '' || text === 'true' ? true : text === 'false' ? false : text;
  if (text === '' && nullable) return null;
  const kind = kindOf(name);
  if (kind === 'number' || NUMBERS.has(name)) return readNumber(text, name);
  return kind === 'input-object' ? (readJsonValue(text, isJsonObject) ?? text) : text;
}

/** Parses a repeated parameter. Each text is one item, whatever it contains. */
export function readItems(texts: readonly string[], type: TypeNode, kindOf: KindOfType): readonly unknown[] {
  return texts.map((text) => readTextValue(text, type, kindOf));
}

/** Returns the type of a list's items, or undefined for other types. */
export function itemType(type: TypeNode): TypeNode | undefined {
  const inner = type.kind === Kind.NON_NULL_TYPE ? type.type : type;
  return inner.kind === Kind.LIST_TYPE ? inner.type : undefined;
}

/** Returns whether commas separate the items of a list. In lists of texts they never do, since a text may contain commas. */
export function commasSeparate(type: TypeNode, kindOf: KindOfType): boolean {
  const inner = type.kind === Kind.NON_NULL_TYPE ? type.type : type;
  if (inner.kind === Kind.LIST_TYPE) return false;
  const { value: name } = inner.name;
  return (
    NUMBERS.has(name) || BOOLEANS.has(name) || WITHOUT_COMMA.has(name) || ['enum', 'number'].includes(kindOf(name))
  );
}

function readListText(text: string, item: TypeNode, kindOf: KindOfType): unknown {
  if (text === '') return [];
  const list = readJsonValue(text, Array.isArray);
  if (list) return list;
  return readItems(commasSeparate(item, kindOf) ? text.split(',') : [text], item, kindOf);
}

/** A number that JavaScript would round stays a text, unless the type itself is a JavaScript number. */
function readNumber(text: string, type: string): unknown {
  if (!JSON_NUMBER.test(text)) return text;
  const number = Number(text);
  return type === 'Int' || type === 'Float' || sameDigits(text, number) ? number : text;
}

function sameDigits(text: string, number: number): boolean {
  const digits = (written: string) => {
    const [mantissa = '', exponent = '0'] = written.toLowerCase().split('e');
    const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.');
    const all = (whole + fraction).replace(/^0+/, '');
    const significant = withoutLastZeros(all);
    return significant === ''
      ? '0'
      : `${significant}e${Number(exponent) - fraction.length + all.length - significant.length}`;
  };
  return digits(text) === digits(String(number));
}

/** A regular expression would scan each run of zeros repeatedly. */
function withoutLastZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === '0') end--;
  return digits.slice(0, end);
}

function readJsonValue<T>(text: string, fits: (value: unknown) => value is T): T | undefined {
  try {
    const value = parseShallowJson(text, 'a parameter');
    return fits(value) ? value : undefined;
  } catch (error) {
    if (error instanceof GatewayError) throw error;
    return undefined;
  }
}
