import {
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  isAbstractType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { isJsonObject } from '../../../platform/index.ts';
import { responseProblem } from '../../sources/index.ts';

/** A value in a handler's response that does not fit its type. */
export interface Misfit {
  /** The path within the result, such as `items[0].price`. Empty for the result itself. */
  readonly path: string;
  readonly problem: string;
}

/** A response of thousands of equal items has thousands of equal problems. */
const MAX_MISFITS = 20;

/**
 * Finds all values of a handler's response that do not fit the output type, at any depth. The gateway itself rejects a
 * response by its outermost fields only and replaces other misfits with null, so this check is stricter.
 */
export function misfitsOf(value: unknown, type: GraphQLOutputType, schema: GraphQLSchema): readonly Misfit[] {
  const found: Misfit[] = [];
  const report = (path: string, problem: string) => {
    if (found.length < MAX_MISFITS) found.push({ path, problem });
  };

  const visit = (one: unknown, expected: GraphQLOutputType, path: string): void => {
    if (found.length >= MAX_MISFITS) return;
    if (one === null || one === undefined) {
      if (isNonNullType(expected)) report(path, `expected ${expected}, found ${one === null ? 'null' : 'nothing'}`);
      return;
    }
    const inner = isNonNullType(expected) ? expected.ofType : expected;
    if (isListType(inner)) {
      if (!Array.isArray(one)) report(path, `expected ${inner}, found ${kindOf(one)}`);
      else for (const [index, item] of one.entries()) visit(item, inner.ofType, `${path}[${index}]`);
      return;
    }
    if (isLeafType(inner)) {
      if (responseProblem(one, inner) !== undefined) report(path, `expected ${inner}, found ${kindOf(one)}`);
      return;
    }
    if (!isJsonObject(one)) {
      report(path, `expected ${inner}, found ${kindOf(one)}`);
      return;
    }
    const object = isAbstractType(inner) ? memberOf(one, inner) : inner;
    if (!isObjectType(object)) {
      const members = isAbstractType(inner) ? schema.getPossibleTypes(inner).map(({ name }) => name) : [];
      report(at(path, '__typename'), `expected one of ${members.join(', ')}, found ${kindOf(one.__typename)}`);
      return;
    }
    for (const field of Object.values(object.getFields()))
      visit(Object.hasOwn(one, field.name) ? one[field.name] : undefined, field.type, at(path, field.name));
  };

  function memberOf(one: Readonly<Record<string, unknown>>, type: GraphQLOutputType): GraphQLObjectType | undefined {
    const name = Object.hasOwn(one, '__typename') ? one.__typename : undefined;
    return isAbstractType(type) ? schema.getPossibleTypes(type).find((possible) => possible.name === name) : undefined;
  }

  visit(value, type, '');
  return found;
}

function at(path: string, field: string): string {
  return path === '' ? field : `${path}.${field}`;
}

/** Describes a value without repeating it, because it may be long or personal. */
function kindOf(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === 'object') return 'an object';
  if (typeof value === 'number') return Number.isInteger(value) ? 'an integer' : 'a number';
  return typeof value === 'boolean' ? 'a boolean' : 'a text';
}
