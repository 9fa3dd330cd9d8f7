import type { OperationContext } from './operation-context.ts';

/** How equal subscriptions to a service share one stream. */
export interface EventSharing {
  /**
   * Whether events are things that happened or the whole state. With the whole state, a late subscriber first gets the
   * last event.
   */
  readonly events: 'events' | 'state';
  /** The client headers that the service gets, as a text. Clients with different texts share no stream. */
  forwardedOf(context: Pick<OperationContext, 'clientHeaders'>): string;
}
