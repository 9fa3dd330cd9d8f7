import { type GraphQLSchema, getNamedType, isAbstractType } from 'graphql';
import { fieldMeant } from '../../metadata/index.ts';
import { parseFieldSet, type RootCall, type RootLookup, type ServiceField } from '../../planning/supergraph/index.ts';
import type { StitchedLookup } from '../../sources/index.ts';
import type { Relationship } from '../relationships/index.ts';

/** How a stitched service returns objects of a type; undefined where it has no such root field. */
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

/** A relationship as a field of the source that answers it: one of its root fields, called with values of the object. */
export function relationshipField({ keys, steps, answer }: Relationship): ServiceField {
  const text = [...new Set(keys.values())].join(' ');
  const call: RootCall = {
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

/** Whether anything in a value stands for a field. */
function holdsFields(value: unknown): boolean {
  if (fieldMeant(value) !== undefined) return true;
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsFields);
}

/** A value with the fields' values in the place of what stands for them. */
function filledIn(value: unknown, read: (field: string) => unknown): unknown {
  const field = fieldMeant(value);
  if (field !== undefined) return read(field);
  if (Array.isArray(value)) return value.map((item) => filledIn(item, read));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, filledIn(inner, read)]));
}
