import {
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLNamedType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
} from 'graphql';

/** An argument of a field, or a field of an input object. */
export type InputValue = GraphQLArgument | GraphQLInputField;

/** Gives the inputs of a permission's type the remote schema's defaults, which the permission may leave out. */
export function inheritDefaults(part: GraphQLNamedType, whole: GraphQLNamedType | undefined): void {
  const defaults = new Map(inputsOf(whole).map(([key, input]) => [key, input.defaultValue]));
  for (const [key, input] of inputsOf(part))
    if (input.defaultValue === undefined) input.defaultValue = defaults.get(key);
}

/** Marks an input object that takes exactly one field of the remote schema's: a permission may leave `@oneOf` out. */
export function inheritOneOf(part: GraphQLNamedType, whole: GraphQLNamedType | undefined): void {
  if (isInputObjectType(part) && isInputObjectType(whole)) part.isOneOf ||= whole.isOneOf;
}

function inputsOf(type: GraphQLNamedType | undefined): readonly (readonly [key: string, input: InputValue])[] {
  if (isInputObjectType(type)) return Object.entries(type.getFields());
  if (!isObjectType(type) && !isInterfaceType(type)) return [];
  return Object.values(type.getFields()).flatMap(({ name, args }) =>
    args.map((argument) => [`${name}.${argument.name}`, argument] as const),
  );
}
