import { Cancellation } from '../../platform/index.ts';

/**
 * The cancellations of the events of a subscription, one after another: what was received for an event is given back when the client
 * has the event, whereas the subscription's own cancellation lasts as long as the subscription.
 */
export class EventCancellation {
  readonly #subscription: Cancellation;
  #ofEvent: Cancellation | undefined;

  constructor(subscription: Cancellation) {
    this.#subscription = subscription;
  }

  /** That of the event that is being completed. Events that nothing is added to have none. */
  get current(): Cancellation {
    if (this.#ofEvent) return this.#ofEvent;
    const ofEvent = new Cancellation(true);
    this.#ofEvent = ofEvent;
    this.#subscription.add(ofEvent);
    if (this.#subscription.isCancelled) ofEvent.cancel();
    return ofEvent;
  }

  /** Ends the event, when the client has it or has gone: calls that are still running for it are cancelled. */
  end(): void {
    const ofEvent = this.#ofEvent;
    if (!ofEvent) return;
    this.#ofEvent = undefined;
    this.#subscription.delete(ofEvent);
    ofEvent.cancel();
    ofEvent.end();
  }
}
