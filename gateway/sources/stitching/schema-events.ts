import {
  createSourceEventStream,
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  type GraphQLSchema,
} from 'graphql';
import { contextOfOneEvent, type OperationContext } from '../operation-context.ts';
import { mapEvents, SourceEventsEnded } from '../source-events.ts';

export interface SchemaSubscription {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operationName?: string | undefined;
}

/**
 * The events of a subscription to a schema of several sources: its root field is subscribed to, and each event is
 * executed to fetch the fields of the other sources.
 */
export function schemaEvents(
  { schema, document, operationName }: SchemaSubscription,
  variables: Readonly<Record<string, unknown>>,
  context: OperationContext,
): AsyncIterableIterator<ExecutionResult> {
  const execution: ExecutionArgs = { schema, document, operationName, variableValues: variables };
  const opened = openStream({ ...execution, contextValue: context });
  // The first `next` rejects with it.
  opened.catch(() => {});
  const events: AsyncIterator<unknown> = {
    next: async () => (await opened).next(),
    return: async () => {
      const stream = await opened.catch(() => undefined);
      await stream?.return?.();
      return { done: true, value: undefined };
    },
  };
  return mapEvents(events, (event) =>
    // A context caches what was fetched from sources, so each event needs a context of its own.
    execute({ ...execution, rootValue: event, contextValue: contextOfOneEvent(context) }),
  );
}

async function openStream(execution: ExecutionArgs): Promise<AsyncIterator<unknown>> {
  const stream = await createSourceEventStream(execution);
  if (Symbol.asyncIterator in stream) return stream[Symbol.asyncIterator]();
  throw new SourceEventsEnded(stream.errors ?? []);
}
