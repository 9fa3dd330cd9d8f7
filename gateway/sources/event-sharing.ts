import type { OperationContext } from './operation-context.ts';

/** How equal subscriptions to a service share one stream. */
export interface EventSharing {
  /** What an event is: something that happened, or the whole state, which a late subscriber gets first. */
  readonly events: 'events' | 'state';
  /** The headers of a client that the service gets, as a text: callers for which it differs share nothing. */
  forwardedOf(context: Pick<OperationContext, 'clientHeaders'>): string;
}
