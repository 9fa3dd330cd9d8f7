import {
  coerceInputValue,
  GraphQLError,
  type GraphQLSchema,
  isInputType,
  isNonNullType,
  type OperationDefinitionNode,
  typeFromAST,
} from 'graphql';

/**
 * What is wrong with the variables of an operation, in words that repeat none of their values: graphql-js would print
 * the whole variable, password included.
 */
export function variableErrors(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
): readonly GraphQLError[] {
  const errors: GraphQLError[] = [];
  for (const definition of operation.variableDefinitions ?? []) {
    const name = definition.variable.name.value;
    const type = typeFromAST(schema, definition.type);
    if (!isInputType(type)) continue;
    const report = (message: string) =>
      errors.push(new GraphQLError(`Variable "$${name}" ${message}`, { nodes: definition }));

    const given = Object.hasOwn(variables, name);
    if (!given && isNonNullType(type) && !definition.defaultValue)
      report(`of required type "${String(type)}" was not provided.`);
    else if (given && variables[name] === null && isNonNullType(type))
      report(`of non-null type "${String(type)}" must not be null.`);
    else if (given && variables[name] !== null)
      coerceInputValue(variables[name], type, (path, _value, error) => report(describe(path, error.message)));
  }
  return errors;
}

// These messages of graphql-js name types and fields only; all others may hold the value.
const HARMLESS =
  /^(Expected non-nullable type "[^"]*" not to be null\.|Expected type "[^"]*" to be an object\.|Field "\w+" (of required type "[^"]*" was not provided|is not defined by type "\w+")\.)/;
const EXPECTED_SCALAR = /^(\w+) cannot represent/;

function describe(path: readonly (string | number)[], message: string): string {
  const place = path.length > 0 ? ` at "${path.join('.')}"` : '';
  const harmless = HARMLESS.exec(message)?.[0];
  const scalar = EXPECTED_SCALAR.exec(message)?.[1];
  return `got an invalid value${place}: ${harmless ?? (scalar ? `Expected type "${scalar}".` : 'It is none of the values that its type allows.')}`;
}
