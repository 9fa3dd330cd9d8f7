import type { ExecutionResult } from 'graphql';
import { type GatewayError, internalError } from '../errors.ts';
import type { Generation, LiveGraph } from '../graph/index.ts';
import { SourceEventsEnded } from '../sources/index.ts';
import type { SubscriptionCounts, SubscriptionEnd } from './counts.ts';
import { schemaChanged } from './errors.ts';
import { type OperationResult, resultOf } from './execute.ts';
import type { SubscriptionPlan } from './plan/index.ts';
import type { ExecutableRequest } from './requests.ts';
import { executionErrors, refusedRequest, SubscriptionEnded } from './response/index.ts';
import { SubscriptionContext } from './subscription-context.ts';
import type { RoleRules } from './validation/index.ts';

/**
 * Clients resubscribe when a reload ends their subscriptions. Ending them is spread over this time, so that not all do
 * at once.
 */
const SPREAD_MS = 1_000;

/** A running subscription: its results, one after another. */
export interface Subscription {
  /** @throws SubscriptionEnded when it ends for another reason than completion. */
  next(): Promise<IteratorResult<OperationResult>>;
  /** Ends it and cancels a pending `next`. Later calls do nothing. */
  close(end: SubscriptionEnd): void;
}

/** The open subscriptions, which a reload ends when it changes or removes the schema that they depend on. */
export class LiveSubscriptions {
  readonly #running = new Set<RunningSubscription>();
  readonly #rulesOf: (generation: Generation) => RoleRules;
  readonly #counts: SubscriptionCounts;

  constructor(graph: LiveGraph, rulesOf: (generation: Generation) => RoleRules, counts: SubscriptionCounts) {
    this.#counts = counts;
    this.#rulesOf = rulesOf;
    graph.onChange((generation) => this.#endOutdated(generation));
  }

  open(executable: ExecutableRequest): Subscription {
    const { events } = executable.plans;
    if (!events) throw new TypeError('an operation without events');
    const subscription = new RunningSubscription(executable, events, (end) => {
      if (this.#running.delete(subscription)) this.#counts.end(end);
    });
    this.#running.add(subscription);
    this.#counts.open();
    return subscription;
  }

  /** Ends those that the new generation would not open in the same way. */
  #endOutdated(generation: Generation): void {
    const rules = this.#running.size > 0 ? this.#rulesOf(generation) : undefined;
    for (const subscription of this.#running) {
      const { events, role } = subscription;
      const parts = generation.subschemasFor(role);
      const isAllowed = !rules?.refusal(events.document, role, false);
      if (!isAllowed || !events.parts.every((part) => parts.includes(part))) subscription.endSoon(schemaChanged());
    }
  }
}

class RunningSubscription implements Subscription {
  readonly events: SubscriptionPlan;
  readonly role: string;
  readonly #context: SubscriptionContext;
  readonly #explanation: ExecutableRequest['explanation'];
  readonly #results: AsyncIterator<ExecutionResult>;
  readonly #onEnd: (end: SubscriptionEnd) => void;
  #reason: GatewayError | undefined;
  #ending: NodeJS.Timeout | undefined;
  #events = 0;
  #isOver = false;

  constructor(executable: ExecutableRequest, events: SubscriptionPlan, onEnd: (end: SubscriptionEnd) => void) {
    this.events = events;
    this.role = executable.session.role;
    this.#onEnd = onEnd;
    this.#explanation = executable.explanation;
    this.#explanation?.nextEvent();
    this.#context = new SubscriptionContext(executable, executable.context.cancellation);
    this.#results = openedStream(() => events.open(executable.request.variables, this.#context));
  }

  async next(): Promise<IteratorResult<OperationResult>> {
    // Who asks for the next event has delivered the one before.
    this.#context.endEvent();
    try {
      const { done, value } = await this.#results.next();
      if (this.#reason) throw new SubscriptionEnded([refusedRequest(this.#reason)]);
      if (!done) {
        this.#events++;
        this.#context.span?.addEvent('event');
        return { done: false, value: this.#withExplanation(resultOf(value, this.#context, false)) };
      }
    } catch (error) {
      this.close('failed');
      throw this.#endFor(error as Error);
    }
    this.close('completed');
    return { done: true, value: undefined };
  }

  #withExplanation(result: OperationResult): OperationResult {
    if (!this.#explanation) return result;
    const { extensions } = this.#explanation;
    this.#explanation.nextEvent();
    return { ...result, beside: { extensions } };
  }

  /** Ends it after a random short time, for a reason that is sent to the client. */
  endSoon(reason: GatewayError): void {
    this.#ending ??= setTimeout(() => {
      this.#reason = reason;
      this.close('reload');
    }, Math.random() * SPREAD_MS);
  }

  close(end: SubscriptionEnd): void {
    clearTimeout(this.#ending);
    this.#endSpan(end);
    this.#onEnd(end);
    this.#context.endEvent();
    void this.#results.return?.();
  }

  /** The first reason is the one that counts. The span itself is the request's, or the operation's. */
  #endSpan(end: SubscriptionEnd): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const { span } = this.#context;
    span?.setAttribute('portico.subscription.events', this.#events);
    span?.setAttribute('portico.subscription.end', end);
    if (end === 'failed') span?.fail('subscription-failed');
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
