import { type ExecutionResult, GraphQLError } from 'graphql';
import type { Variables } from '../graphql/syntax/index.ts';
import type { CompiledOperation } from './compiled-operation.ts';
import type { OperationContext } from './operation-context.ts';

/** Creates an operation that graphql-js executes. The execution is synchronous unless a resolver returns a promise. */
export function localOperation(
  execution: (variables: Variables, context: OperationContext) => ExecutionResult | Promise<ExecutionResult>,
): CompiledOperation {
  return {
    kind: 'local',
    run: (variables, context, done) => {
      const result = resultOfExecution(() => execution(variables, context));
      if (result instanceof Promise) result.then(done, (error: unknown) => done(failedResult(error)));
      else done(result);
    },
  };
}

/** Returns the result of an execution. Converts a thrown error to a failure of the whole operation. */
export function resultOfExecution<T>(execution: () => T): T | ExecutionResult {
  try {
    return execution();
  } catch (error) {
    return failedResult(error);
  }
}

function failedResult(error: unknown): ExecutionResult {
  const originalError = error instanceof Error ? error : new Error(String(error));
  return { data: null, errors: [new GraphQLError(originalError.message, { originalError })] };
}
