import {
  buildASTSchema,
  coerceInputValue,
  type GraphQLArgument,
  GraphQLError,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
  isSpecifiedScalarType,
  isUnionType,
  parse,
} from 'graphql';
import { type Presets, takePresets } from './presets.ts';

/** What a role is given of a remote schema. */
export interface Permitted {
  /** The part that the role sees. */
  readonly schema: GraphQLSchema;
  /** The same with the inputs that are preset, which the role does not see. */
  readonly withPresets: GraphQLSchema;
  readonly presets: Presets;
}

/**
 * The part of a remote schema that a role is given, from the SDL in its permission.
 *
 * @param upstream the remote schema as it is; what the SDL says must be a part of it, to the letter.
 * @returns the part, or everything in which it is not one.
 */
export function permittedSchema(sdl: string, upstream: GraphQLSchema): Permitted | { problems: readonly string[] } {
  try {
    const { whole, visible, presets, problems } = takePresets(parse(sdl));
    const withPresets = buildASTSchema(whole);
    const different = Object.values(withPresets.getTypeMap())
      .filter((type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type))
      .flatMap((type) => typeProblems(type, counterpart(type, withPresets, upstream)));
    const all = [...problems, ...different, ...presetProblems(presets, withPresets)];
    return all.length > 0 ? { problems: all } : { schema: buildASTSchema(visible), withPresets, presets };
  } catch (error) {
    return { problems: [error instanceof GraphQLError ? error.message : String(error)] };
  }
}

/** Fixed values that do not fit the type of their input. */
function presetProblems(presets: Presets, schema: GraphQLSchema): readonly string[] {
  return [...presets].flatMap(([key, preset]) => {
    const type = 'value' in preset ? inputType(key, schema) : undefined;
    const problems: string[] = [];
    if (type && 'value' in preset)
      coerceInputValue(preset.value, type, (_path, _value, error) =>
        problems.push(`@preset of "${key}": ${error.message}`),
      );
    return problems;
  });
}

function inputType(key: string, schema: GraphQLSchema): GraphQLInputType | undefined {
  const [typeName = '', fieldName = '', argumentName] = key.split('.');
  const type = schema.getType(typeName);
  if (isInputObjectType(type)) return type.getFields()[fieldName]?.type;
  if (!isObjectType(type) && !isInterfaceType(type)) return undefined;
  return type.getFields()[fieldName]?.args.find((argument) => argument.name === argumentName)?.type;
}

/** The type of the whole schema that `type` is a part of. Root types may have another name there. */
function counterpart(type: GraphQLNamedType, part: GraphQLSchema, whole: GraphQLSchema): GraphQLNamedType | undefined {
  if (type === part.getQueryType()) return whole.getQueryType() ?? undefined;
  if (type === part.getMutationType()) return whole.getMutationType() ?? undefined;
  if (type === part.getSubscriptionType()) return whole.getSubscriptionType() ?? undefined;
  return whole.getType(type.name);
}

function typeProblems(part: GraphQLNamedType, whole: GraphQLNamedType | undefined): readonly string[] {
  if (!whole) return [`type "${part.name}" does not exist in the remote schema`];
  if ((isObjectType(part) && isObjectType(whole)) || (isInterfaceType(part) && isInterfaceType(whole))) {
    const fields = whole.getFields();
    return Object.values(part.getFields()).flatMap((field) => {
      const place = `${part.name}.${field.name}`;
      const other = fields[field.name];
      if (!other) return [`field "${place}" does not exist in the remote schema`];
      return [...sameType(place, field, other), ...inputProblems(place, field.args, other.args)];
    });
  }
  if (isInputObjectType(part) && isInputObjectType(whole))
    return inputProblems(part.name, Object.values(part.getFields()), Object.values(whole.getFields()));
  if (isEnumType(part) && isEnumType(whole)) {
    const values = new Set(whole.getValues().map((value) => value.name));
    const extra = part.getValues().filter((value) => !values.has(value.name));
    return extra.map((value) => `enum value "${part.name}.${value.name}" does not exist in the remote schema`);
  }
  if (isUnionType(part) && isUnionType(whole)) {
    const members = new Set(whole.getTypes().map((type) => type.name));
    const extra = part.getTypes().filter((type) => !members.has(type.name));
    return extra.map((type) => `"${type.name}" is no member of "${part.name}" in the remote schema`);
  }
  if (part.constructor === whole.constructor) return [];
  return [`type "${part.name}" is of another kind in the remote schema`];
}

type InputValue = GraphQLArgument | GraphQLInputField;

/** Arguments of a field, or fields of an input object. */
function inputProblems(place: string, part: readonly InputValue[], whole: readonly InputValue[]): readonly string[] {
  const missing = whole.filter((other) => isRequired(other) && !part.some((input) => input.name === other.name));
  return [
    ...missing.map((other) => `"${place}" lacks "${other.name}", which the remote schema requires`),
    ...part.flatMap((input) => {
      const other = whole.find((candidate) => candidate.name === input.name);
      if (!other) return [`"${place}" has no "${input.name}" in the remote schema`];
      return sameType(`${place}.${input.name}`, input, other);
    }),
  ];
}

function isRequired(input: InputValue): boolean {
  return isRequiredArgument(input as GraphQLArgument) || isRequiredInputField(input as GraphQLInputField);
}

function sameType(place: string, part: { type: unknown }, whole: { type: unknown }): readonly string[] {
  if (String(part.type) === String(whole.type)) return [];
  return [`"${place}" has the type ${String(part.type)}, in the remote schema it has ${String(whole.type)}`];
}
