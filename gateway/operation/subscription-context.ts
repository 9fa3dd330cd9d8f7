import { Cancellation } from '../../platform/index.ts';
import { ExecutionContext } from './execute.ts';

/**
 * The context of a subscription. Each event has a cancellation of its own, so that what was received for it is given back
 * when the client has the event: the client's own lasts as long as the subscription.
 */
export class SubscriptionContext extends ExecutionContext {
  #ofEvent: Cancellation | undefined;

  /** That of the event that is being completed. Events that nothing is added to have none. */
  get eventCancellation(): Cancellation {
    if (this.#ofEvent) return this.#ofEvent;
    const ofEvent = new Cancellation(true);
    this.#ofEvent = ofEvent;
    this.cancellation.add(ofEvent);
    if (this.cancellation.isCancelled) ofEvent.cancel();
    return ofEvent;
  }

  /** Ends the event, when the client has it or has gone: calls that are still running for it are cancelled. */
  endEvent(): void {
    const ofEvent = this.#ofEvent;
    if (!ofEvent) return;
    this.#ofEvent = undefined;
    this.cancellation.delete(ofEvent);
    ofEvent.cancel();
    ofEvent.end();
  }
}
