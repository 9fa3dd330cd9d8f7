import {
  buildASTSchema,
  type GraphQLArgument,
  GraphQLError,
  type GraphQLInputField,
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

/**
 * The part of a remote schema that a role is given, from the SDL in its permission.
 *
 * @param whole the remote schema as it is; what the SDL says must be a part of it, to the letter.
 * @returns the part, or everything in which it is not one.
 */
export function permittedSchema(
  sdl: string,
  whole: GraphQLSchema,
): { schema: GraphQLSchema } | { problems: readonly string[] } {
  let schema: GraphQLSchema;
  try {
    schema = buildASTSchema(parse(sdl));
  } catch (error) {
    return { problems: [error instanceof GraphQLError ? error.message : String(error)] };
  }
  const problems = Object.values(schema.getTypeMap())
    .filter((type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type))
    .flatMap((type) => typeProblems(type, counterpart(type, schema, whole)));
  return problems.length > 0 ? { problems } : { schema };
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
