import type { ExecutionResult } from 'graphql';
import { internalError } from '../errors.ts';
import { SourceEventsEnded } from '../sources/index.ts';
import type { SubscriptionCounts } from './counts.ts';
import { type OperationResult, resultOf } from './execute.ts';
import type { SubscriptionPlan } from './plan/index.ts';
import type { OperationRequest } from './requests.ts';
import { executionErrors, refusedRequest, SubscriptionEnded } from './response/index.ts';
import type { EventsContext } from './subscription-context.ts';

/**
 * Receives the next result of a subscription or its end. Must not throw. This is not a promise, because an event may be
 * delivered to thousands of clients, and a promise for each would double the cost.
 */
export interface ResultTaker {
  result(result: OperationResult): void;
  /** @param error undefined if the subscription was completed or closed. */
  ended(error?: Error): void;
}

/** The sequence of a subscription's results. */
export interface EventResults {
  /** Calls `taker` exactly once, now or later. Must not be called again before that. */
  next(taker: ResultTaker): void;
  /** Ends the subscription, even while a taker waits. */
  close(): void;
}

/** Runs a subscription: opens its source stream and creates a result for each event. */
export class SubscriptionRun implements EventResults {
  readonly #context: EventsContext;
  readonly #events: AsyncIterator<ExecutionResult>;
  readonly #counts: SubscriptionCounts;
  #isClosed = false;

  constructor(
    { open }: SubscriptionPlan,
    variables: OperationRequest['variables'],
    context: EventsContext,
    counts: SubscriptionCounts,
  ) {
    this.#context = context;
    this.#counts = counts;
    counts.runs++;
    this.#events = openedStream(() => open(variables, context));
  }

  next(taker: ResultTaker): void {
    // A call of `next` means that the previous event was delivered.
    this.#context.endEvent();
    this.#next().then(
      (result) => (result ? taker.result(result) : taker.ended()),
      (error: Error) => taker.ended(this.#endFor(error)),
    );
  }

  /** @returns undefined at the end. */
  async #next(): Promise<OperationResult | undefined> {
    const { done, value } = await this.#events.next();
    return done ? undefined : resultOf(value, this.#context, false);
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#counts.runs--;
    this.#context.endEvent();
    void this.#events.return?.();
  }

  #endFor(error: Error): SubscriptionEnded {
    if (error instanceof SubscriptionEnded) return error;
    const { log } = this.#context;
    if (error instanceof SourceEventsEnded)
      return new SubscriptionEnded(error.errors.flatMap((one) => executionErrors(one, log)));
    log.error({ event: 'subscription.failed', err: error }, 'subscription failed unexpectedly');
    return new SubscriptionEnded([refusedRequest(internalError())]);
  }
}

/** Opens the source stream. If opening fails, the stream fails at its first event. */
function openedStream(open: () => AsyncIterator<ExecutionResult>): AsyncIterator<ExecutionResult> {
  try {
    return open();
  } catch (error) {
    return { next: () => Promise.reject(error) };
  }
}
