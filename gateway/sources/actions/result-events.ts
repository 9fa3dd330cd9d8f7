import type { ExecutionResult } from 'graphql';
import { SourceEvents } from '../source-events.ts';

/** How subscriptions to results of asynchronous actions are notified of changes. */
export type WatchResult = (id: string, onChange: () => void) => () => void;

/** Reads the result once. `onId` is called with the id that it is of, before it is read. */
export type ReadResult = (onId: (id: string) => void) => ExecutionResult | Promise<ExecutionResult>;

/**
 * The events of a subscription to the result of an asynchronous action: the result as it is, and again when it has changed.
 * As in Hasura it stays open after that, until the client ends it.
 */
export function resultEvents(read: ReadResult, watch: WatchResult): SourceEvents {
  const events = new SourceEvents();
  let stop: (() => void) | undefined;
  let isReading = false;
  let isChanged = false;
  let last = '';

  const onId = (id: string) => {
    if (events.isOver) return;
    // Before it is read, so that no change in between is missed.
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
