import type { ExecutionResult } from 'graphql';
import { GatewayError } from '../errors.ts';
import type { Generation, LiveGraph } from '../graph/index.ts';
import { type Call, SourceEventsEnded } from '../sources/index.ts';
import { executionErrors, refusedRequest, SubscriptionEnded } from './errors.ts';
import type { EventsPlan } from './events-plan.ts';
import { OperationCall, type OperationResult, resultOf } from './execution.ts';
import type { ReadyOperation } from './ready-operation.ts';
import type { RoleRules } from './role-rules.ts';

/** Clients whose subscriptions a reload ends come back, all of them: they are sent away over this time. */
const SPREAD_MS = 1_000;

/** A subscription that runs: its results, one after another. */
export interface Subscription {
  /** @throws SubscriptionEnded when it is over before its time. */
  next(): Promise<IteratorResult<OperationResult>>;
  /** Ends it, whatever it is waiting for. */
  close(): void;
}

/** The subscriptions that run, to be ended when a reload takes away what they are made of. */
export class LiveSubscriptions {
  readonly #running = new Set<RunningSubscription>();
  readonly #rulesOf: (generation: Generation) => RoleRules;

  constructor(graph: LiveGraph, rulesOf: (generation: Generation) => RoleRules) {
    this.#rulesOf = rulesOf;
    graph.onChange((generation) => this.#look(generation));
  }

  open(ready: ReadyOperation): Subscription {
    const { events } = ready.plans;
    if (!events) throw new TypeError('an operation without events');
    const subscription = new RunningSubscription(ready, events, () => this.#running.delete(subscription));
    this.#running.add(subscription);
    return subscription;
  }

  /** Ends those that could not be opened as they are under another generation. */
  #look(generation: Generation): void {
    const rules = this.#running.size > 0 ? this.#rulesOf(generation) : undefined;
    for (const subscription of this.#running) {
      const { events, role } = subscription;
      const parts = generation.subschemasFor(role);
      const isAllowed = !rules?.refusal(events.document, role, false);
      if (!isAllowed || !events.parts.every((part) => parts.includes(part)))
        subscription.endSoon(
          new GatewayError('schema-reload', 'what the subscription is about has changed: subscribe again'),
        );
    }
  }
}

class RunningSubscription implements Subscription {
  readonly events: EventsPlan;
  readonly role: string;
  readonly #call: Call;
  readonly #results: AsyncIterator<ExecutionResult>;
  readonly #over: () => void;
  #reason: GatewayError | undefined;
  #ending: NodeJS.Timeout | undefined;

  constructor(ready: ReadyOperation, events: EventsPlan, over: () => void) {
    this.events = events;
    this.role = ready.session.role;
    this.#over = over;
    this.#call = new OperationCall(ready, ready.client.cancellation);
    this.#results = opened(() => events.open(ready.request.variables, this.#call));
  }

  async next(): Promise<IteratorResult<OperationResult>> {
    try {
      const { done, value } = await this.#results.next();
      if (this.#reason) throw new SubscriptionEnded([refusedRequest(this.#reason)]);
      if (!done) return { done: false, value: resultOf(value, this.#call, false) };
    } catch (error) {
      this.close();
      throw this.#told(error as Error);
    }
    this.close();
    return { done: true, value: undefined };
  }

  /** Ends it for a reason that the client gets to know, in a moment. */
  endSoon(reason: GatewayError): void {
    this.#ending ??= setTimeout(() => {
      this.#reason = reason;
      this.close();
    }, Math.random() * SPREAD_MS);
  }

  close(): void {
    clearTimeout(this.#ending);
    this.#over();
    void this.#results.return?.();
  }

  #told(error: Error): SubscriptionEnded {
    if (error instanceof SubscriptionEnded) return error;
    const { log } = this.#call;
    if (error instanceof SourceEventsEnded)
      return new SubscriptionEnded(error.errors.flatMap((one) => executionErrors(one, log)));
    log.error({ err: error }, 'a subscription failed in an unforeseen way');
    return new SubscriptionEnded([refusedRequest(new GatewayError('unexpected', 'internal error'))]);
  }
}

/** That a subscription cannot be opened is told to whoever asks for its first event. */
function opened(open: () => AsyncIterator<ExecutionResult>): AsyncIterator<ExecutionResult> {
  try {
    return open();
  } catch (error) {
    return { next: () => Promise.reject(error) };
  }
}
