import {
  GraphQLDirective,
  type GraphQLInputType,
  GraphQLList,
  GraphQLNonNull,
  GraphQLSchema,
  isInputType,
  isListType,
  isNonNullType,
} from 'graphql';

/**
 * Adds the directives that operations may contain to a schema. The first of several directives with the same name is
 * used. A directive is left out if the schema lacks the type of one of its arguments.
 */
export function withDirectives(schema: GraphQLSchema, directives: readonly GraphQLDirective[]): GraphQLSchema {
  const added = new Map<string, GraphQLDirective>();
  for (const directive of directives) {
    if (added.has(directive.name) || schema.getDirective(directive.name)) continue;
    const rewired = rewire(directive, schema);
    if (rewired) added.set(directive.name, rewired);
  }
  if (added.size === 0) return schema;
  const config = schema.toConfig();
  return new GraphQLSchema({ ...config, directives: [...config.directives, ...added.values()] });
}

/**
 * Replaces the types of a directive's arguments with those of the schema, which are different objects than the
 * source's.
 */
function rewire(directive: GraphQLDirective, schema: GraphQLSchema): GraphQLDirective | undefined {
  const config = directive.toConfig();
  const args: typeof config.args = {};
  for (const [name, argument] of Object.entries(config.args)) {
    const type = typeIn(schema, argument.type);
    if (!type) return undefined;
    args[name] = { ...argument, type };
  }
  return new GraphQLDirective({ ...config, args });
}

function typeIn(schema: GraphQLSchema, type: GraphQLInputType): GraphQLInputType | undefined {
  if (isNonNullType(type)) {
    const inner = typeIn(schema, type.ofType);
    return inner && !isNonNullType(inner) ? new GraphQLNonNull(inner) : undefined;
  }
  if (isListType(type)) {
    const inner = typeIn(schema, type.ofType);
    return inner && new GraphQLList(inner);
  }
  const found = schema.getType(type.name) ?? (isStandard(type.name) ? type : undefined);
  return isInputType(found) ? found : undefined;
}

/** Whether a scalar is built in. A schema only lists those that it uses. */
function isStandard(name: string): boolean {
  return ['Int', 'Float', 'String', 'Boolean', 'ID'].includes(name);
}
