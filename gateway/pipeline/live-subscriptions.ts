import type { GatewayError } from '../errors.ts';
import type { Generation, LiveGraph } from '../graph/index.ts';
import type { SubscriptionCounts, SubscriptionEnd } from './counts.ts';
import { schemaChanged } from './errors.ts';
import { EventGroups } from './event-groups.ts';
import type { OperationResult } from './execute.ts';
import type { SubscriptionPlan } from './plan/index.ts';
import type { ExecutableRequest } from './requests.ts';
import { refusedRequest, SubscriptionEnded } from './response/index.ts';
import { SubscriptionContext } from './subscription-context.ts';
import { type EventResults, type ResultTaker, SubscriptionRun } from './subscription-run.ts';
import type { RoleRules } from './validation/index.ts';

/**
 * Clients resubscribe when a reload ends their subscriptions. Subscriptions end spread over this time, so that not all
 * clients resubscribe at once.
 */
const SPREAD_MS = 1_000;

/** A running subscription with its sequence of results. */
export interface Subscription {
  /**
   * Calls `taker` once with the next result or the end. The end has a SubscriptionEnded error unless the source
   * completed.
   */
  next(taker: ResultTaker): void;
  /** Ends the subscription, even while a taker waits. Later calls do nothing. */
  close(end: SubscriptionEnd): void;
}

/** The open subscriptions. A reload ends those whose schema it changes or removes. */
export class LiveSubscriptions {
  readonly #running = new Set<RunningSubscription>();
  readonly #rulesOf: (generation: Generation) => RoleRules;
  readonly #counts: SubscriptionCounts;
  readonly #graph: LiveGraph;
  readonly #groups: EventGroups;

  constructor(graph: LiveGraph, rulesOf: (generation: Generation) => RoleRules, counts: SubscriptionCounts) {
    this.#counts = counts;
    this.#graph = graph;
    this.#groups = new EventGroups(counts);
    this.#rulesOf = rulesOf;
    graph.onChange((generation) => this.#endOutdated(generation));
  }

  open(executable: ExecutableRequest): Subscription {
    const { events } = executable.plans;
    if (!events) throw new TypeError('an operation without events');
    const graph = () => this.#graph.current.graphIfValid(executable.session.role);
    const subscription = new RunningSubscription(
      executable,
      events,
      this.#groups.join(executable, events, graph) ?? this.#runAlone(executable, events),
      (end) => {
        if (this.#running.delete(subscription)) this.#counts.end(end);
      },
    );
    this.#running.add(subscription);
    this.#counts.open();
    return subscription;
  }

  #runAlone(executable: ExecutableRequest, events: SubscriptionPlan): EventResults {
    executable.explanation?.nextEvent();
    const context = new SubscriptionContext(executable, executable.context.cancellation);
    return new SubscriptionRun(events, executable.request.variables, context, this.#counts);
  }

  /** Ends subscriptions that the new generation would not open in the same way. */
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

class RunningSubscription implements Subscription, ResultTaker {
  readonly events: SubscriptionPlan;
  readonly role: string;
  readonly #span: ExecutableRequest['context']['span'];
  readonly #explanation: ExecutableRequest['explanation'];
  readonly #results: EventResults;
  readonly #onEnd: (end: SubscriptionEnd) => void;
  #taker: ResultTaker | undefined;
  #reason: GatewayError | undefined;
  #ending: NodeJS.Timeout | undefined;
  #events = 0;
  #isOver = false;

  constructor(
    executable: ExecutableRequest,
    events: SubscriptionPlan,
    results: EventResults,
    onEnd: (end: SubscriptionEnd) => void,
  ) {
    const { session, context, explanation } = executable;
    this.events = events;
    this.role = session.role;
    this.#span = context.span;
    this.#onEnd = onEnd;
    this.#explanation = explanation;
    this.#results = results;
  }

  next(taker: ResultTaker): void {
    this.#taker = taker;
    this.#results.next(this);
  }

  result(result: OperationResult): void {
    if (this.#reason) {
      this.ended();
      return;
    }
    this.#events++;
    this.#span?.addEvent('event');
    this.#taker?.result(this.#withExplanation(result));
  }

  ended(error?: Error): void {
    const failure = this.#reason ? new SubscriptionEnded([refusedRequest(this.#reason)]) : error;
    this.close(failure ? 'failed' : 'completed');
    this.#taker?.ended(failure);
  }

  #withExplanation(result: OperationResult): OperationResult {
    if (!this.#explanation) return result;
    const { extensions } = this.#explanation;
    this.#explanation.nextEvent();
    return { ...result, beside: { extensions } };
  }

  /** Ends the subscription after a short random time and sends the reason to the client. */
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
    this.#results.close();
  }

  /** Only the first reason is recorded. The span belongs to the request or the operation. */
  #endSpan(end: SubscriptionEnd): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const span = this.#span;
    span?.setAttribute('portico.subscription.events', this.#events);
    span?.setAttribute('portico.subscription.end', end);
    if (end === 'failed') span?.fail('subscription-failed');
  }
}
