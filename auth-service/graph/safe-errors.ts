import {
  type ASTVisitor,
  GraphQLError,
  Kind,
  parse,
  print,
  type Source,
  specifiedRules,
  type ValidationContext,
  type ValidationRule,
  ValuesOfCorrectTypeRule,
} from 'graphql';
import { ApiError, ERRORS, type ErrorCode } from '../errors.ts';
import { isDatabaseUnavailable } from '../use-cases/index.ts';

/** A login has about forty tokens, an introspection about four hundred. */
const MAX_TOKENS = 2000;

/**
 * Parses a document without quoting it in errors. graphql-js quotes invalid values, which may be passwords here. The functions
 * of this file replace such messages by ones without the value.
 */
export function parseWithoutEcho(source: string | Source) {
  try {
    return parse(source, { maxTokens: MAX_TOKENS });
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    // The message quotes the unexpected token, which may be a string's value.
    throw withCode('Syntax Error: the document cannot be parsed from this position', error, 'validation-failed');
  }
}

/** GraphQL's validation rules. The rule about values is replaced by one that does not quote them. */
export const rulesWithoutEcho: readonly ValidationRule[] = specifiedRules.map((rule) =>
  rule === ValuesOfCorrectTypeRule ? valuesOfCorrectTypeWithoutEcho : rule,
);

function valuesOfCorrectTypeWithoutEcho(context: ValidationContext): ASTVisitor {
  const quiet: ValidationContext = Object.create(context, {
    reportError: {
      value: (error: GraphQLError) => {
        // An unknown input field is reported by name, which the caller needs.
        const isName = error.nodes?.[0]?.kind === Kind.OBJECT_FIELD;
        const message = `Expected a value of type "${context.getInputType()}"`;
        context.reportError(isName ? error : withCode(message, error, 'validation-failed'));
      },
    },
  });
  return ValuesOfCorrectTypeRule(quiet);
}

/** Returns the error that the caller may see. `logUnexpected` is called with unexpected errors. */
export function publicError(
  error: GraphQLError | Error,
  logUnexpected: (error: unknown) => void = () => {},
): GraphQLError {
  // graphql-http's own errors about the form of a request, such as a missing query, have constant messages.
  if (!(error instanceof GraphQLError)) return new GraphQLError(error.message, { extensions: { code: 'bad-request' } });

  if (error.extensions.code) return error;
  const { originalError } = error;
  if (originalError instanceof ApiError) return withCode(originalError.message, error, originalError.code);
  if (isDatabaseUnavailable(originalError)) {
    logUnexpected(originalError);
    return withCode(ERRORS.unavailable.message, error, 'unavailable');
  }
  if (originalError || error.path) {
    logUnexpected(originalError ?? error);
    return withCode(ERRORS.unexpected.message, error, 'unexpected');
  }
  return withCode(error.message, error, 'validation-failed');
}

/** Replaces errors about the values of variables, which are found before the execution of any field. */
export function variableErrorWithoutEcho(error: GraphQLError): GraphQLError {
  const node = error.nodes?.[0];
  if (node?.kind !== Kind.VARIABLE_DEFINITION) return error;
  const message = `Variable "$${node.variable.name.value}" is missing or has a value that is not of type "${print(node.type)}"`;
  return withCode(message, error, 'validation-failed');
}

function withCode(message: string, { nodes, source, positions, path }: GraphQLError, code: ErrorCode): GraphQLError {
  return new GraphQLError(message, { nodes: nodes ?? null, source, positions, path, extensions: { code } });
}
