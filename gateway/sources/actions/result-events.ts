import type { ExecutionResult } from 'graphql';
import { SourceEvents } from '../source-events.ts';

/** Subscribes to changes of an asynchronous action's result. Returns a function that unsubscribes. */
export type WatchResult = (id: string, onChange: () => void) => () => void;

/** Reads the result once. Calls `onId` with the job id before reading. */
export type ReadResult = (onId: (id: string) => void) => ExecutionResult | Promise<ExecutionResult>;

/**
 * The events of a subscription to an asynchronous action's result: the current result, then each changed result. As in
 * Hasura, the subscription stays open until the client ends it.
 */
export function resultEvents(read: ReadResult, watch: WatchResult): SourceEvents {
  const events = new SourceEvents();
  let stop: (() => void) | undefined;
  let isReading = false;
  let isChanged = false;
  let last = '';

  const onId = (id: string) => {
    if (events.isOver) return;
    // Watching starts before the read, so that no change is missed.
    stop ??= watch(id, () => void readChange());
  };
  const readChange = async (): Promise<void> => {
    isChanged = true;
    if (isReading) return;
    isReading = true;
    while (isChanged && !events.isOver) {
      isChanged = false;
      const result = await read(onId);
      const text = JSON.stringify(result);
      if (text === last) continue;
      last = text;
      events.push(result, text.length);
    }
    isReading = false;
  };

  events.connect({ pause: () => {}, resume: () => {}, close: () => stop?.() });
  void readChange();
  return events;
}
