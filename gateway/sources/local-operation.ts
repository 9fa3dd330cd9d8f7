import { type ExecutionResult, GraphQLError } from 'graphql';
import type { Call } from './call.ts';
import type { PreparedOperation } from './prepared-operation.ts';

type Variables = Readonly<Record<string, unknown>>;

/** An operation that graphql-js executes here, at once where nobody has to be waited for. */
export function localOperation(
  execution: (variables: Variables, call: Call) => ExecutionResult | Promise<ExecutionResult>,
): PreparedOperation {
  return {
    kind: 'local',
    run: (variables, call, done) => {
      const result = attempt(() => execution(variables, call));
      if (result instanceof Promise) result.then(done, (error: unknown) => done(failed(error)));
      else done(result);
    },
  };
}

/** What an execution comes to; what it throws, as a failure of the operation as a whole. */
export function attempt<T>(execution: () => T): T | ExecutionResult {
  try {
    return execution();
  } catch (error) {
    return failed(error);
  }
}

function failed(error: unknown): ExecutionResult {
  const originalError = error instanceof Error ? error : new Error(String(error));
  return { data: null, errors: [new GraphQLError(originalError.message, { originalError })] };
}
