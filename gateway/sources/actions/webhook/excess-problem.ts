import {
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  isAbstractType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
} from 'graphql';
import { isJsonObject } from '../../../../platform/index.ts';
import { typeOfValue } from './abstract-types.ts';

/** The maximum number of invalid values in a webhook's response. Each of them is an error for the client. */
const MAX_INVALID_VALUES = 100;
/** The maximum depth of a response. It bounds the recursion over types that contain themselves. */
const MAX_DEPTH = 500;

/** Returns the problem of a response with too many invalid values, or too many levels. */
export type ExcessProblem = (value: unknown) => string | undefined;

/**
 * Bounds the errors that one response causes. Returns undefined for types without values that are checked one by one.
 *
 * @param checked the names of interfaces, unions, checked scalars, and the objects that contain them.
 */
export function excessProblem(output: GraphQLOutputType, checked: ReadonlySet<string>): ExcessProblem | undefined {
  if (!checked.has(getNamedType(output).name)) return undefined;
  return (response) => {
    let invalid = 0;
    let isTooDeep = false;
    const count = (value: unknown, type: GraphQLOutputType, depth: number): void => {
      isTooDeep ||= depth > MAX_DEPTH;
      if (isTooDeep || invalid > MAX_INVALID_VALUES) return;
      const isMissing = value === null || value === undefined;
      if (isNonNullType(type)) {
        if (isMissing) invalid += 1;
        else count(value, type.ofType, depth);
      } else if (isMissing) return;
      else if (isListType(type)) {
        if (Array.isArray(value)) for (const item of value) count(item, type.ofType, depth + 1);
        else invalid += 1;
      } else if (isScalarType(type)) {
        if (!isAllowed(() => type.serialize(value))) invalid += 1;
      } else if (isAbstractType(type)) {
        const found = typeOfValue(value, type);
        if ('type' in found) countFields(value, found.type, depth);
        else invalid += 1;
      } else if (isObjectType(type)) countFields(value, type, depth);
    };
    const countFields = (value: unknown, type: GraphQLObjectType, depth: number): void => {
      if (!isJsonObject(value)) {
        invalid += 1;
        return;
      }
      for (const field of Object.values(type.getFields()))
        if (checked.has(getNamedType(field.type).name))
          count(Object.hasOwn(value, field.name) ? value[field.name] : null, field.type, depth + 1);
    };
    count(response, output, 0);
    if (isTooDeep) return `the webhook response is nested more than ${MAX_DEPTH} levels deep`;
    return invalid > MAX_INVALID_VALUES
      ? `more than ${MAX_INVALID_VALUES} values of the webhook response do not fit their types`
      : undefined;
  };
}

function isAllowed(serialize: () => unknown): boolean {
  try {
    serialize();
    return true;
  } catch {
    return false;
  }
}
