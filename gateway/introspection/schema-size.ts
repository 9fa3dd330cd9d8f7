import { type GraphQLSchema, isEnumType, isInputObjectType, isInterfaceType, isObjectType } from 'graphql';

/** About what the standard query for the schema says of a type, a field or an argument beside its name and description. */
const CHARACTERS_EACH = 250;

/**
 * About how many characters the answer to the standard query for the schema has.
 *
 * Yields every now and then, for others to go on in between.
 */
export function* schemaSize(schema: GraphQLSchema): Generator<void, number> {
  let size = 0;
  const add = (described: { readonly name: string; readonly description?: string | null | undefined }) => {
    size += CHARACTERS_EACH + described.name.length + (described.description?.length ?? 0);
  };
  for (const type of Object.values(schema.getTypeMap())) {
    add(type);
    if (isObjectType(type) || isInterfaceType(type))
      for (const field of Object.values(type.getFields())) {
        add(field);
        for (const argument of field.args) add(argument);
      }
    else if (isInputObjectType(type)) for (const field of Object.values(type.getFields())) add(field);
    else if (isEnumType(type)) for (const value of type.getValues()) add(value);
    yield;
  }
  for (const directive of schema.getDirectives()) {
    add(directive);
    for (const argument of directive.args) add(argument);
  }
  return size;
}
