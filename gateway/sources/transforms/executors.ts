import {
  type ExecutionRequest,
  type Executor,
  isAsyncIterable,
  type MaybeAsyncIterable,
  type MaybePromise,
} from '@graphql-tools/utils';
import { type ExecutionResult, type GraphQLError, getOperationAST, Kind } from 'graphql';
import { PassthroughBody } from '../../upstream/index.ts';
import type { CompiledSubscription, OperationDocument } from '../compiled-operation.ts';
import { invalidJsonResponse, noSourceOfSubscription } from '../errors.ts';
import { localOperation } from '../local-operation.ts';
import type { OperationContext } from '../operation-context.ts';
import { SourceEventsEnded } from '../source-events.ts';
import type { SourceOperations } from './transformed-operations.ts';

/**
 * Calls a source as stitching does, which makes a document for each of its requests. It is compiled for that one run.
 */
export function executorOf(operations: SourceOperations, service: string): Executor<OperationContext> {
  const run = (request: ExecutionRequest): MaybePromise<MaybeAsyncIterable<ExecutionResult>> => {
    const context = request.context as OperationContext | undefined;
    if (!context) throw new TypeError('an operation without a caller');
    const operation = operationOf(request);
    const { variables = {} } = request;
    if (request.operationType === 'subscription') {
      const events = operations.compileSubscription?.(operation)?.open(variables, context);
      if (!events) throw new SourceEventsEnded([noSourceOfSubscription()]);
      return { [Symbol.asyncIterator]: () => events };
    }
    const compiled = operations.compile?.(operation);
    if (!compiled) throw new TypeError('an operation that its source cannot run');
    return new Promise<ExecutionResult>((resolve) => {
      compiled.run(variables, context, (answer) => resolve(resultOf(answer, service)));
    });
  };
  return run as Executor<OperationContext>;
}

function operationOf({ document, operationName }: ExecutionRequest): OperationDocument {
  const operation = getOperationAST(document, operationName);
  if (!operation) throw new TypeError('a document without an operation');
  const definitions = document.definitions.filter((one) => one === operation || one.kind === Kind.FRAGMENT_DEFINITION);
  return { document: { ...document, definitions }, operation };
}

function resultOf(answer: PassthroughBody | ExecutionResult, service: string): ExecutionResult {
  if (!(answer instanceof PassthroughBody)) return answer;
  try {
    return answer.toJson() as ExecutionResult;
  } catch {
    return { data: null, errors: [invalidJsonResponse(service)] };
  }
}

/** The operations of a source that only an executor runs. */
export function operationsOf(executor: Executor<OperationContext>): Required<Omit<SourceOperations, 'incremental'>> {
  const request = ({ document, operation }: OperationDocument): ExecutionRequest => ({
    document,
    operationType: operation.operation,
    ...(operation.name && { operationName: operation.name.value }),
  });
  return {
    compile: (operation) => ({
      ...localOperation(
        async (variables, context) =>
          (await executor({ ...request(operation), variables, context })) as ExecutionResult,
      ),
      kind: 'join',
    }),
    compileSubscription: (operation): CompiledSubscription => ({
      open: (variables, context) => {
        const opened = openEvents(async () => executor({ ...request(operation), variables, context }));
        // The first `next` rejects with it.
        opened.catch(() => {});
        return {
          next: async () => (await opened).next(),
          return: async () => {
            const events = await opened.catch(() => undefined);
            await events?.return?.();
            return { done: true, value: undefined };
          },
        };
      },
    }),
  };
}

async function openEvents(open: () => Promise<unknown>): Promise<AsyncIterator<ExecutionResult>> {
  const result = await open();
  if (isAsyncIterable<ExecutionResult>(result)) return result[Symbol.asyncIterator]();
  throw new SourceEventsEnded(((result as ExecutionResult).errors ?? []) as readonly GraphQLError[]);
}
