import type { ExecutionResult } from '@graphql-tools/utils';
import { GraphQLError } from 'graphql';
import { type JoinResult, responseObject, SubgraphFailure } from '../../federation/index.ts';
import { PassthroughBody } from '../../upstream/index.ts';
import type { OperationAnswer } from '../compiled-operation.ts';
import { sourceFailure } from '../errors.ts';
import type { OperationContext } from '../operation-context.ts';
import type { RemoteTarget } from '../remote-schema/index.ts';
import { REMOTE_SCHEMA_ERROR, takeHttpHints, withoutTraces } from '../remote-schema/index.ts';

/** Converts the joined response: to bytes where it is data alone, else to a result. */
export function toOperationAnswer(result: JoinResult, context: OperationContext): OperationAnswer {
  if (result.errors.length > 0 || result.data === 'null') return toExecutionResult(result, context);
  takeHints(result, context);
  return new PassthroughBody([Buffer.from(`{"data":${result.data}}`)]);
}

export function toExecutionResult(result: JoinResult, context: OperationContext): ExecutionResult {
  takeHints(result, context);
  const { data, errors = [] } = responseObject(result);
  const graphqlErrors = errors.map(
    ({ message, path, extensions }) =>
      new GraphQLError(message, { ...(path && { path }), extensions: { ...withoutTraces(extensions) } }),
  );
  return { data, ...(graphqlErrors.length > 0 && { errors: graphqlErrors }) };
}

function takeHints({ extensions }: JoinResult, context: OperationContext): void {
  for (const one of extensions) takeHttpHints(one.extensions, context.http);
}

/** The failure of a call to a subgraph, for the client; the log line has the details. */
export function notReached({ name }: RemoteTarget, error: unknown, context: OperationContext): SubgraphFailure {
  const { message, extensions } = sourceFailure(name, REMOTE_SCHEMA_ERROR, error, context);
  return new SubgraphFailure(message, extensions);
}
