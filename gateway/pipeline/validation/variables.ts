import {
  coerceInputValue,
  GraphQLError,
  GraphQLID,
  type GraphQLInputType,
  type GraphQLSchema,
  GraphQLString,
  isInputType,
  isNonNullType,
  type OperationDefinitionNode,
  typeFromAST,
  type VariableDefinitionNode,
} from 'graphql';

/** Checks the variables that a client sends and returns the errors. */
export type VariableProblems = (variables: Readonly<Record<string, unknown>>) => readonly GraphQLError[];

/** A variable that an operation declares. */
interface Declared {
  readonly name: string;
  readonly type: GraphQLInputType;
  readonly definition: VariableDefinitionNode;
}

const NOTHING_WRONG: readonly GraphQLError[] = [];

/**
 * The maximum number of reported errors. Each error takes the search for a suggestion, and a megabyte of values may
 * cause 500,000 errors.
 */
export const MAX_ERRORS = 20;

/** Aborts the coercion of a variable with too many errors. graphql-js provides no other way to stop it. */
class TooManyErrors extends Error {}

/**
 * Compiles the check of an operation's variables. Its messages do not contain values. graphql-js would print the whole
 * variable, including passwords.
 */
export function prepareVariables(schema: GraphQLSchema, operation: OperationDefinitionNode): VariableProblems {
  const declared = (operation.variableDefinitions ?? []).flatMap((definition): Declared[] => {
    const type = typeFromAST(schema, definition.type);
    return isInputType(type) ? [{ name: definition.variable.name.value, type, definition }] : [];
  });
  return (variables) => {
    let errors = NOTHING_WRONG;
    for (const one of declared) {
      const given = Object.hasOwn(variables, one.name);
      if (given && isText(variables[one.name], one.type)) continue;
      const found = problems(one, given, variables[one.name], MAX_ERRORS - errors.length);
      if (found.length > 0) errors = [...errors, ...found];
      if (errors.length >= MAX_ERRORS) return errors;
    }
    return errors;
  };
}

/** Whether a value is valid without coercion. This covers the types of most variables. */
function isText(value: unknown, type: GraphQLInputType): boolean {
  if (typeof value !== 'string') return false;
  const inner = isNonNullType(type) ? type.ofType : type;
  return inner === GraphQLString || inner === GraphQLID;
}

/** @param most the number of errors after which the rest of the value is not checked. */
function problems(
  { name, type, definition }: Declared,
  given: boolean,
  value: unknown,
  most: number,
): readonly GraphQLError[] {
  const errors: GraphQLError[] = [];
  const report = (message: string) => {
    errors.push(new GraphQLError(`Variable "$${name}" ${message}`, { nodes: definition }));
    if (errors.length >= most) throw new TooManyErrors();
  };
  try {
    findProblems(report, { name, type, definition }, given, value);
  } catch (error) {
    if (!(error instanceof TooManyErrors)) throw error;
  }
  return errors;
}

function findProblems(
  report: (message: string) => void,
  { type, definition }: Declared,
  given: boolean,
  value: unknown,
): void {
  if (!given && isNonNullType(type) && !definition.defaultValue)
    report(`of required type "${String(type)}" was not provided.`);
  else if (given && value === null && isNonNullType(type))
    report(`of non-null type "${String(type)}" must not be null.`);
  else if (given && value !== null)
    coerceInputValue(value, type, (path, _value, error) => report(coercionMessage(path, error.message)));
}

// These messages of graphql-js only contain names of types and fields. All others may contain the value.
const HARMLESS = new RegExp(
  [
    'Expected non-nullable type "[^"]*" not to be null\\.',
    'Expected type "[^"]*" to be an object\\.',
    'Field "\\w+" (of required type "[^"]*" was not provided|is not defined by type "\\w+"|must be non-null)\\.',
    'Exactly one key must be specified for OneOf type "\\w+"\\.',
    // The check of a custom scalar, which never contains the value.
    'A value of type "\\w+" must .*',
  ]
    .map((message) => `^${message}`)
    .join('|'),
);
const EXPECTED_SCALAR = /^(\w+) cannot represent/;

function coercionMessage(path: readonly (string | number)[], message: string): string {
  const place = path.length > 0 ? ` at "${path.join('.')}"` : '';
  const harmless = HARMLESS.exec(message)?.[0];
  const scalar = EXPECTED_SCALAR.exec(message)?.[1];
  return `got an invalid value${place}: ${harmless ?? (scalar ? `Expected type "${scalar}".` : 'The value is not allowed by its type.')}`;
}
