import { type GraphQLSchema, isEnumType, isInputObjectType, isInterfaceType, isObjectType } from 'graphql';

/** About what the standard query for the schema says of a type, a field or an argument beside its name and description. */
const CHARACTERS_EACH = 250;

/**
 * Estimates how many characters the result of the standard introspection query has.
 *
 * Yields at intervals, so that other work can run in between.
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
