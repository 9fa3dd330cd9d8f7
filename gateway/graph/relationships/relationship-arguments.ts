import {
  type GraphQLInputType,
  type GraphQLOutputType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredInputField,
  isScalarType,
  isSpecifiedScalarType,
} from 'graphql';
import { fieldMeant } from '../../metadata/index.ts';

/** The types of fields that values may refer to, by their names in the description. */
export type FieldTypes = ReadonlyMap<string, GraphQLOutputType>;

/** The reasons why a value does not fit an argument of this type. Empty if it fits. The value may refer to fields. */
export function argumentProblems(
  place: string,
  value: unknown,
  type: GraphQLInputType,
  fields: FieldTypes,
): readonly string[] {
  const field = fieldMeant(value);
  if (field !== undefined) {
    const found = fields.get(field);
    if (!found || fits(found, type)) return [];
    return [`"${place}" takes ${String(type)}, and "${field}" is ${String(found)}`];
  }
  const doesNotFit = [`"${place}" requires a value of type ${String(type)}, but the given value is not`];
  if (isNonNullType(type)) return value === null ? doesNotFit : argumentProblems(place, value, type.ofType, fields);
  if (value === null) return [];
  if (isListType(type)) {
    const items = Array.isArray(value) ? value : [value];
    return items.flatMap((item) => argumentProblems(place, item, type.ofType, fields));
  }
  if (isEnumType(type)) return typeof value === 'string' && type.getValue(value) ? [] : doesNotFit;
  if (!isInputObjectType(type)) return isScalarType(type) && takes(() => type.parseValue(value)) ? [] : doesNotFit;
  if (typeof value !== 'object' || Array.isArray(value)) return doesNotFit;
  const inputs = type.getFields();
  const missing = Object.values(inputs).filter(
    (input) => isRequiredInputField(input) && !Object.hasOwn(value, input.name),
  );
  return [
    ...missing.map((input) => `"${place}.${input.name}" is missing`),
    ...Object.entries(value).flatMap(([key, inner]) => {
      const input = Object.hasOwn(inputs, key) ? inputs[key] : undefined;
      if (!input) return [`"${place}" has no "${key}"`];
      return argumentProblems(`${place}.${key}`, inner, input.type, fields);
    }),
  ];
}

function takes(parse: () => unknown): boolean {
  try {
    parse();
    return true;
  } catch {
    return false;
  }
}

/** The types as which a field's scalar may be passed. The gateway does not know the values of custom scalars. */
const GIVEN_AS: Readonly<Record<string, readonly string[]>> = {
  Int: ['Float', 'ID'],
  String: ['ID'],
  ID: ['String'],
};

/** Whether a field's type fits an input. If the field is null, the relationship is not fetched. */
function fits(output: GraphQLOutputType, input: GraphQLInputType): boolean {
  const [from, to] = [getNullableType(output), getNullableType(input)];
  if (isListType(to)) return fits(isListType(from) ? from.ofType : from, to.ofType);
  if (isEnumType(from) || isEnumType(to)) return isEnumType(from) && String(from) === String(to);
  if (!isScalarType(from) || !isScalarType(to)) return false;
  if (from.name === to.name || GIVEN_AS[from.name]?.includes(to.name)) return true;
  return !isSpecifiedScalarType(from) || !isSpecifiedScalarType(to);
}
