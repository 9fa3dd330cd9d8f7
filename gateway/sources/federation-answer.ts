import type { ExecutionResult } from '@graphql-tools/utils';
import { GraphQLError } from 'graphql';
import { type JoinResult, responseObject, SubgraphFailure } from '../federation/index.ts';
import type { Call } from './call.ts';
import type { OperationAnswer } from './prepared-operation.ts';
import type { RemoteTarget } from './remote-request.ts';
import { REMOTE_SCHEMA_ERROR, takeHttpHints, withoutTraces } from './remote-response.ts';
import { unreachable } from './source-error.ts';

/** What the services' joined answer is to a caller who relays bytes. */
export function answerOf(result: JoinResult, call: Call): OperationAnswer {
  if (result.errors.length > 0 || result.data === 'null') return resultOf(result, call);
  takeHints(result, call);
  return Buffer.from(`{"data":${result.data}}`);
}

export function resultOf(result: JoinResult, call: Call): ExecutionResult {
  takeHints(result, call);
  const { data, errors = [] } = responseObject(result);
  const told = errors.map(
    ({ message, path, extensions }) =>
      new GraphQLError(message, { ...(path && { path }), extensions: { ...withoutTraces(extensions) } }),
  );
  return { data, ...(told.length > 0 && { errors: told }) };
}

function takeHints({ extensions }: JoinResult, call: Call): void {
  for (const one of extensions) takeHttpHints(one.extensions, call.http);
}

/** Why a service has not answered; the log gets to know more of it. */
export function notReached({ name }: RemoteTarget, error: unknown, call: Call): SubgraphFailure {
  const { message, extensions } = unreachable(name, REMOTE_SCHEMA_ERROR, error, call);
  return new SubgraphFailure(message, extensions);
}
