import type { ExecutionResult } from 'graphql';
import { internalError } from '../errors.ts';
import { SourceEventsEnded } from '../sources/index.ts';
import type { SubscriptionCounts } from './counts.ts';
import { type OperationResult, resultOf } from './execute.ts';
import type { SubscriptionPlan } from './plan/index.ts';
import type { OperationRequest } from './requests.ts';
import { executionErrors, refusedRequest, SubscriptionEnded } from './response/index.ts';
import type { EventsContext } from './subscription-context.ts';

/** The results of a subscription, one after another. */
export interface EventResults {
  /** @throws SubscriptionEnded when it ends for another reason than completion. */
  next(): Promise<IteratorResult<OperationResult>>;
  /** Ends it: a pending `next` is done. */
  close(): void;
}

/** Runs a subscription: opens its source stream, and makes a result of each event. */
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

  async next(): Promise<IteratorResult<OperationResult>> {
    // Who asks for the next event has delivered the one before.
    this.#context.endEvent();
    try {
      const { done, value } = await this.#events.next();
      return done ? { done, value: undefined } : { done: false, value: resultOf(value, this.#context, false) };
    } catch (error) {
      throw this.#endFor(error as Error);
    }
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

/** A subscription that cannot be opened fails at the read of its first event. */
function openedStream(open: () => AsyncIterator<ExecutionResult>): AsyncIterator<ExecutionResult> {
  try {
    return open();
  } catch (error) {
    return { next: () => Promise.reject(error) };
  }
}
