import { isAsyncIterable } from '@graphql-tools/utils';
import { type ExecutionResult, OperationTypeNode } from 'graphql';
import type { StitchedSubscription } from '../../stitching/index.ts';
import { noSourceOfSubscription } from '../errors.ts';
import { contextOfOneEvent, type OperationContext } from '../operation-context.ts';
import { mapEvents, SourceEventsEnded } from '../source-events.ts';

/** The events of one source's stream, each completed with the fields of other sources. */
export function stitchedEvents(
  subscription: StitchedSubscription,
  context: OperationContext,
): AsyncIterableIterator<ExecutionResult> {
  const opened = openSourceStream(subscription, context);
  // The first `next` rejects with it.
  opened.catch(() => {});
  const events: AsyncIterator<ExecutionResult> = {
    next: async () => (await opened).next(),
    return: async () => {
      const stream = await opened.catch(() => undefined);
      await stream?.return?.();
      return { done: true, value: undefined };
    },
  };
  // HTTP headers from sources do not accumulate: each event has a context of its own.
  return mapEvents(events, (event) => subscription.complete(event, contextOfOneEvent(context)));
}

async function openSourceStream(
  { source }: StitchedSubscription,
  context: OperationContext,
): Promise<AsyncIterator<ExecutionResult>> {
  const operationType = OperationTypeNode.SUBSCRIPTION;
  const { subschema, document, variables } = source ?? {};
  const result = document && (await subschema?.executor?.({ document, variables, operationType, context }));
  if (!result) throw new SourceEventsEnded([noSourceOfSubscription()]);
  if (isAsyncIterable(result)) return result[Symbol.asyncIterator]() as AsyncIterator<ExecutionResult>;
  throw new SourceEventsEnded((result as ExecutionResult).errors ?? []);
}
