import {
  type GraphQLEnumType,
  type GraphQLOutputType,
  getNamedType,
  isAbstractType,
  isEnumType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
  isSpecifiedScalarType,
} from 'graphql';
import { isJsonObject } from '../../../../platform/index.ts';
import { typeOfValue } from './abstract-types.ts';

/**
 * Checks a webhook response against the action's output type as strictly as Hasura does: nullability, list or object,
 * the fields of an object one level deep, and the type of a built-in scalar or an enum.
 *
 * @returns the problem in Hasura's words, or undefined.
 */
export function responseProblem(value: unknown, type: GraphQLOutputType): string | undefined {
  if (value === null) return isNonNullType(type) ? 'got null for the action webhook response' : undefined;
  const inner = isNonNullType(type) ? type.ofType : type;
  if (isListType(inner)) {
    if (!Array.isArray(value)) return 'expecting array for the action webhook response';
    return firstProblem(value, (item) => itemProblem(item, inner.ofType));
  }
  const expecting = `expecting ${getNamedType(type).name}`;
  if (isLeafType(inner)) {
    if (isScalarType(inner) && !isSpecifiedScalarType(inner)) return undefined;
    if (Array.isArray(value)) return `got array for the action webhook response, ${expecting}`;
    if (typeof value === 'object') return `got object for the action webhook response, ${expecting}`;
    if (isEnumType(inner) ? isValueOf(inner, value) : fitsScalar(value, inner.name)) return undefined;
    return `got scalar ${scalarName(value)} for the action webhook response, ${expecting}`;
  }
  if (Array.isArray(value)) return `got array for the action webhook response, ${expecting}`;
  if (typeof value !== 'object') return `got scalar ${scalarName(value)} for the action webhook response, ${expecting}`;
  if (isAbstractType(inner)) {
    const found = typeOfValue(value, inner);
    return 'problem' in found ? found.problem : responseProblem(value, found.type);
  }
  if (!isObjectType(inner)) return undefined;
  return firstProblem(Object.values(inner.getFields()), (field) => {
    if (!isNonNullType(field.type)) return undefined;
    const given = (value as Record<string, unknown>)[field.name];
    if (given === undefined) return `field "${field.name}" expected in webhook response, but not found`;
    return given === null ? `expecting not null value for field "${field.name}"` : undefined;
  });
}

/** The problem with an item of a list. Items of interfaces and unions without a valid type are reported one by one later. */
function itemProblem(item: unknown, type: GraphQLOutputType): string | undefined {
  const inner = isNonNullType(type) ? type.ofType : type;
  if (item !== null && isAbstractType(inner) && 'problem' in typeOfValue(item, inner)) return undefined;
  return responseProblem(item, type);
}

/** The problem with the response to a batched call, if its entries cannot be assigned to the objects. */
export function batchProblem(body: unknown, count: number): string | undefined {
  if (!Array.isArray(body)) return 'expecting array for the action webhook response';
  if (body.length !== count)
    return `expecting array of length ${count} for the action webhook response, but found ${body.length}`;
  const unfit = body.findIndex((entry) => !isEntry(entry));
  if (unfit < 0) return undefined;
  return `expecting object with either "data" or "error" at index ${unfit} of the action webhook response`;
}

function isEntry(entry: unknown): boolean {
  if (!isJsonObject(entry)) return false;
  const { data, error } = entry;
  return isNothing(error) ? Object.hasOwn(entry, 'data') : isNothing(data);
}

/** Whether a member of an entry is absent. */
export function isNothing(value: unknown): boolean {
  return value === undefined || value === null;
}

function isValueOf(type: GraphQLEnumType, value: unknown): boolean {
  return typeof value === 'string' && type.getValue(value) !== undefined;
}

function firstProblem<T>(items: readonly T[], problemOf: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const problem = problemOf(item);
    if (problem) return problem;
  }
  return undefined;
}

// An ID may be a number here. Hasura rejects numbers, which appears to be a mistake.
function fitsScalar(value: unknown, scalar: string): boolean {
  switch (scalar) {
    case 'Int':
      return Number.isInteger(value) && Math.abs(value as number) <= 2_147_483_647;
    case 'Float':
      return typeof value === 'number';
    case 'Boolean':
      return typeof value === 'boolean';
    case 'ID':
      return typeof value === 'string' || Number.isInteger(value);
    default:
      return typeof value === 'string';
  }
}

function scalarName(value: unknown): string {
  if (typeof value === 'boolean') return 'Boolean';
  if (typeof value === 'number') return Number.isInteger(value) ? 'Int' : 'Float';
  return 'String';
}

/** Keeps a value of an object type or a list of one, and replaces each part that is neither with null. */
export function objectsWithin(value: unknown, type: GraphQLOutputType): unknown {
  if (isNonNullType(type)) return objectsWithin(value, type.ofType);
  if (isListType(type)) return Array.isArray(value) ? value.map((item) => objectsWithin(item, type.ofType)) : null;
  return isJsonObject(value) ? value : null;
}

/**
 * Keeps only the part of a webhook response that its output type declares. Undeclared fields of objects are left out.
 * An object or array is replaced with null if the type declares a scalar or an enum. Custom scalars keep their value.
 */
export function declaredPart(value: unknown, type: GraphQLOutputType): unknown {
  if (isNonNullType(type)) return declaredPart(value, type.ofType);
  if (isListType(type)) return Array.isArray(value) ? value.map((item) => declaredPart(item, type.ofType)) : null;
  if (isScalarType(type) && !isSpecifiedScalarType(type)) return value;
  if (isAbstractType(type)) {
    const found = typeOfValue(value, type);
    // The reader of the result gets the error of a value without a valid type.
    if ('problem' in found) return value === null ? null : {};
    return { __typename: found.type.name, ...(declaredPart(value, found.type) as object) };
  }
  if (!isObjectType(type)) return isJsonObject(value) || Array.isArray(value) ? null : value;
  if (!isJsonObject(value)) return null;
  const fields = Object.values(type.getFields()).filter(({ name }) => Object.hasOwn(value, name));
  return Object.fromEntries(fields.map((field) => [field.name, declaredPart(value[field.name], field.type)]));
}
