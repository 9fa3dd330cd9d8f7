import type { ExecutionRequest, ExecutionResult, Executor, MaybeAsyncIterable } from '@graphql-tools/utils';
import { getOperationAST, print } from 'graphql';
import type { OperationContext } from '../operation-context.ts';
import { type EventsRequest, openRemoteEvents } from './remote-events.ts';
import { type RemoteTarget, remoteRequest } from './remote-request.ts';
import { readResult, takeCookies, upstreamFailure } from './remote-response.ts';

/** Runs operations on a remote schema, as the caller of `request.context`. */
export function remoteExecutor(target: RemoteTarget): Executor<OperationContext> {
  return async (request: ExecutionRequest): Promise<MaybeAsyncIterable<ExecutionResult>> => {
    const context = request.context as OperationContext | undefined;
    if (!context) throw new TypeError('an operation without a caller');
    if (request.operationType === 'subscription') return openRemoteEvents(target, eventsRequest(request), context);
    const isQuery = getOperationAST(request.document, request.operationName)?.operation === 'query';
    const body = JSON.stringify({
      query: print(request.document),
      ...(request.variables && { variables: request.variables }),
      ...(request.operationName && { operationName: request.operationName }),
    });
    try {
      const response = await target.http.send(remoteRequest(target, body, context, isQuery));
      takeCookies(response, context);
      return readResult(target.name, response, context);
    } catch (error) {
      return upstreamFailure(target.name, error, context);
    }
  };
}

function eventsRequest({ document, variables, operationName }: ExecutionRequest): EventsRequest {
  return { query: print(document), operationName, variables };
}
