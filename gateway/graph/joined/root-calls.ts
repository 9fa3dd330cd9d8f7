import { type GraphQLSchema, getNamedType, isAbstractType } from 'graphql';
import { fieldMeant } from '../../metadata/index.ts';
import { parseFieldSet, type RootCall, type RootLookup, type ServiceField } from '../../planning/supergraph/index.ts';
import type { StitchedLookup } from '../../sources/index.ts';
import type { Relationship } from '../relationships/index.ts';

/**
 * The lookup through which a stitched service returns objects of a type. Undefined if the root field does not exist.
 */
export function rootLookup(
  { field, key, isMany, arguments: names, argumentsFor }: StitchedLookup,
  schema: GraphQLSchema,
): RootLookup | undefined {
  const found = schema.getQueryType()?.getFields()[field];
  if (!found) return undefined;
  const given = found.args
    .filter(({ name }) => names.includes(name))
    .map(({ name, type }) => ({ name, type, isConstant: false }));
  return {
    key: key === '' ? undefined : { text: key, selections: parseFieldSet(key) },
    call: { steps: [{ field, arguments: given }], isMany, valuesFor: (objects) => [argumentsFor(objects)] },
    isAbstract: isAbstractType(getNamedType(found.type)),
  };
}

/**
 * Describes a relationship as a field of the source that resolves it. The field calls a root field with values of the
 * object.
 */
export function relationshipField(relationship: Relationship): ServiceField {
  const { keys, steps, objects, answer } = relationship;
  const text = objects?.key ?? [...new Set(keys.values())].join(' ');
  const call: RootCall = objects
    ? callForObjects(relationship, objects)
    : {
        steps: steps.map(({ field, arguments: given }) => ({
          field,
          arguments: given.map(({ name, type, value }) => ({ name, type, isConstant: !holdsFields(value) })),
        })),
        isMany: false,
        valuesFor: ([object]) => {
          const read = (field: string) => object?.[keys.get(field) ?? ''];
          return steps.map(({ arguments: given }) =>
            Object.fromEntries(given.map(({ name, value }) => [name, filledIn(value, read)])),
          );
        },
      };
  return {
    isResolvable: true,
    requires: text === '' ? undefined : { text, selections: parseFieldSet(text) },
    provides: undefined,
    call,
    type: String(answer),
    typeName: getNamedType(answer).name,
  };
}

/** The call of a root field that takes the keys of many objects. */
function callForObjects(
  { steps }: Relationship,
  { argument: name, type }: NonNullable<Relationship['objects']>,
): RootCall {
  return {
    steps: steps.map(({ field }) => ({ field, arguments: [{ name, type, isConstant: false }] })),
    isMany: true,
    valuesFor: (objects) => [{ [name]: objects }],
  };
}

/** Whether a value contains references to fields. */
function holdsFields(value: unknown): boolean {
  if (fieldMeant(value) !== undefined) return true;
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsFields);
}

/** Replaces references to fields in a value with the fields' values. */
function filledIn(value: unknown, read: (field: string) => unknown): unknown {
  const field = fieldMeant(value);
  if (field !== undefined) return read(field);
  if (Array.isArray(value)) return value.map((item) => filledIn(item, read));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, filledIn(inner, read)]));
}
