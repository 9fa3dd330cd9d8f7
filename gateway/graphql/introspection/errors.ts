import { type ExecutionResult, GraphQLError } from 'graphql';

/** More introspections wait than are queued. */
export function tooManyIntrospectionsQueued(): ExecutionResult {
  return errorResult('too many introspections wait to be answered; try again later', 'service-unavailable');
}

/** An introspection whose result would be far larger than that of the standard query. */
export function introspectionTooCostly(): ExecutionResult {
  return errorResult(
    'the introspection asks for more than the schema needs to be known',
    'introspection-limit-exceeded',
  );
}

function errorResult(message: string, code: string): ExecutionResult {
  return { data: null, errors: [new GraphQLError(message, { extensions: { code } })] };
}
