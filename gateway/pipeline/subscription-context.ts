import type { IncomingHttpHeaders } from 'node:http';
import { Cancellation, type Logger, type Span } from '../../platform/index.ts';
import type { Session } from '../access/session/index.ts';
import type { HttpHints, OperationContext } from '../sources/index.ts';
import type { CallRecorder } from '../upstream/index.ts';
import { ExecutionContext } from './execute.ts';
import type { ExecutableRequest } from './requests.ts';

/** The context of a run of a subscription. */
export interface EventsContext extends OperationContext {
  /** Ends the current event when the client has received it or has disconnected. */
  endEvent(): void;
}

/** The context of one subscription. */
export class SubscriptionContext extends ExecutionContext implements EventsContext {
  readonly #event = new EventCancellation(this.cancellation);

  get eventCancellation(): Cancellation {
    return this.#event.current;
  }

  endEvent(): void {
    this.#event.end();
  }
}

/**
 * The context of several equal subscriptions. The context uses the session of one of them, the leader. When the leader
 * ends, another subscription replaces it. No service is therefore called with the session of a subscriber that has left
 * or whose token is no longer valid.
 */
export class SharedContext implements EventsContext {
  readonly cancellation = new Cancellation();
  readonly http: HttpHints = { headers: {}, cookies: [] };
  readonly #event = new EventCancellation(this.cancellation);
  readonly #leader: () => ExecutableRequest;

  constructor(leader: () => ExecutableRequest) {
    this.#leader = leader;
  }

  get session(): Session {
    return this.#leader().session;
  }

  get query(): string {
    return this.#leader().query;
  }

  get requestId(): string {
    return this.#leader().context.requestId;
  }

  get clientAddress(): string {
    return this.#leader().context.clientAddress;
  }

  get clientHeaders(): IncomingHttpHeaders {
    return this.#leader().context.clientHeaders;
  }

  get log(): Logger {
    return this.#leader().context.log;
  }

  get record(): CallRecorder | undefined {
    return this.#leader().context.record;
  }

  get span(): Span | undefined {
    return this.#leader().context.span;
  }

  get eventCancellation(): Cancellation {
    return this.#event.current;
  }

  endEvent(): void {
    this.#event.end();
  }
}

/**
 * The cancellations of a subscription's events, one after another. Memory reserved for an event is released when the
 * client has received the event. The subscription's own cancellation lasts as long as the subscription.
 */
class EventCancellation {
  readonly #subscription: Cancellation;
  #ofEvent: Cancellation | undefined;

  constructor(subscription: Cancellation) {
    this.#subscription = subscription;
  }

  /** The cancellation of the event that is being completed. Created when a source first needs it. */
  get current(): Cancellation {
    if (this.#ofEvent) return this.#ofEvent;
    const ofEvent = new Cancellation(true);
    this.#ofEvent = ofEvent;
    this.#subscription.add(ofEvent);
    if (this.#subscription.isCancelled) ofEvent.cancel();
    return ofEvent;
  }

  /**
   * Ends the event when the client has received it or has disconnected. Calls that are still running for it are
   * cancelled.
   */
  end(): void {
    const ofEvent = this.#ofEvent;
    if (!ofEvent) return;
    this.#ofEvent = undefined;
    this.#subscription.delete(ofEvent);
    ofEvent.cancel();
    ofEvent.end();
  }
}
