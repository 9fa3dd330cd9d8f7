import { type GraphQLSchema, isEnumType, isInputObjectType, Kind, type TypeNode } from 'graphql';
import { isJsonObject } from '../../../platform/index.ts';
import { GatewayError } from '../../errors.ts';
import { parseShallowJson } from '../http/index.ts';

/** The kind of a variable's type, which decides how a text of the URL is parsed. */
export type KindOfType = (name: string) => 'enum' | 'input-object' | 'scalar';

/** Types that hold what JSON writes as a number: GraphQL's, those that Hasura reads so, and PostgreSQL's others. */
const NUMBERS = new Set([
  ...['Int', 'Float', 'Number', 'Double'],
  ...['smallint', 'int2', 'integer', 'int4', 'bigint', 'int8', 'real', 'float4', 'float8', 'numeric', 'decimal'],
]);
const BOOLEANS = new Set(['Boolean', 'bool']);
/** Other types whose values hold no comma. */
const WITHOUT_COMMA = new Set(['uuid', 'UUID', 'date']);

const JSON_NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

/** Which kind the types of some schemas are. What is in none of them counts as a scalar. */
export function kindsOfTypes(schemas: readonly GraphQLSchema[]): KindOfType {
  return (name) => {
    const types = schemas.map((schema) => schema.getType(name));
    if (types.some((type) => isInputObjectType(type))) return 'input-object';
    return types.some((type) => isEnumType(type)) ? 'enum' : 'scalar';
  };
}

/**
 * Reads one text of the URL by the type that the operation declares, as Hasura does: an empty text is `true` for a
 * Boolean and null, no value, where null may be; numbers and booleans are read as JSON. A text that does not fit stays a text, to
 * be refused with the other values that do not fit their type.
 *
 * Beyond Hasura: an input object is read as JSON, and a list is a JSON array, nothing for the empty list, items with
 * commas between them where no item can hold a comma, or else the text as its only item.
 */
export function readTextValue(text: string, type: TypeNode, kindOf: KindOfType): unknown {
  const nullable = type.kind !== Kind.NON_NULL_TYPE;
  const inner = type.kind === Kind.NON_NULL_TYPE ? type.type : type;
  if (inner.kind === Kind.LIST_TYPE) return text === '' && nullable ? null : readListText(text, inner.type, kindOf);
  const { value: name } = inner.name;
  if (BOOLEANS.has(name)) return text === '' || text === 'true' ? true : text === 'false' ? false : text;
  if (text === '' && nullable) return null;
  if (NUMBERS.has(name)) return readNumber(text, name);
  return kindOf(name) === 'input-object' ? (readJsonValue(text, isJsonObject) ?? text) : text;
}

/** Reads the texts of a parameter that is repeated: each is one item, whatever it holds. */
export function readItems(texts: readonly string[], type: TypeNode, kindOf: KindOfType): readonly unknown[] {
  return texts.map((text) => readTextValue(text, type, kindOf));
}

/** The type of a list type's items; undefined for a type that is no list. */
export function itemType(type: TypeNode): TypeNode | undefined {
  const inner = type.kind === Kind.NON_NULL_TYPE ? type.type : type;
  return inner.kind === Kind.LIST_TYPE ? inner.type : undefined;
}

/** Whether commas part the items of a list of this type. Texts may hold commas themselves, so theirs never do. */
export function commasSeparate(type: TypeNode, kindOf: KindOfType): boolean {
  const inner = type.kind === Kind.NON_NULL_TYPE ? type.type : type;
  if (inner.kind === Kind.LIST_TYPE) return false;
  const { value: name } = inner.name;
  return NUMBERS.has(name) || BOOLEANS.has(name) || WITHOUT_COMMA.has(name) || kindOf(name) === 'enum';
}

function readListText(text: string, item: TypeNode, kindOf: KindOfType): unknown {
  if (text === '') return [];
  const list = readJsonValue(text, Array.isArray);
  if (list) return list;
  return readItems(commasSeparate(item, kindOf) ? text.split(',') : [text], item, kindOf);
}

/** A number that JavaScript would round stays a text, except where the type itself is JavaScript's. */
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

/** An expression would look through each run of zeros again and again. */
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
