import type { SubscriptionCounts } from './counts.ts';
import { eventsMissed } from './errors.ts';
import type { OperationResult } from './execute.ts';
import type { SubscriptionPlan } from './plan/index.ts';
import type { ExecutableRequest } from './requests.ts';
import { refusedRequest, SubscriptionEnded } from './response/index.ts';
import { SharedContext } from './subscription-context.ts';
import { type EventResults, type ResultTaker, SubscriptionRun } from './subscription-run.ts';

/**
 * The maximum distance between the slowest and the fastest subscriber, in events and in characters of their results. A
 * slower subscriber is cut off, so that it costs the others neither time nor memory.
 */
const MAX_EVENTS_BEHIND = 1_000;
const MAX_LENGTH_BEHIND = 1024 * 1024;
/** The number of subscribers that get an event before the process does other work. */
const DELIVERED_AT_ONCE = 64;

/** An event that some subscribers have not taken yet. */
interface GroupEvent {
  readonly result: OperationResult;
  readonly length: number;
  /** The number of subscribers that have not taken the event yet. */
  missing: number;
}

export interface EventGroupOptions {
  /** Whether each event is the whole state. A late subscriber then gets the latest event first. */
  readonly isState: boolean;
  readonly counts: SubscriptionCounts;
  /** Called when no more subscriptions can join. */
  readonly onEnd: () => void;
}

/**
 * Equal subscriptions that share the events of one run. Each takes events at its own pace. The next event is read when
 * all waiting subscribers have received the current one. A busy process thus slows down the source, whereas a slow
 * subscriber falls behind.
 */
export class EventGroup implements ResultTaker {
  readonly #run: SubscriptionRun;
  readonly #context: SharedContext;
  readonly #isState: boolean;
  readonly #onEnd: () => void;
  readonly #subscribers = new Set<GroupSubscriber>();
  /** The kept events, oldest first. */
  readonly #events: GroupEvent[] = [];
  /** The number of the oldest kept event, counted from the first event of the run. */
  #first = 0;
  #length = 0;
  #latest: OperationResult | undefined;
  /** The subscribers that are waiting for the next event. */
  readonly #waiting = new Set<GroupSubscriber>();
  /** The subscribers that are about to get an event or the end. */
  readonly #due: GroupSubscriber[] = [];
  #isReading = false;
  #isDelivering = false;
  #end: { readonly error?: Error | undefined } | undefined;

  constructor(plan: SubscriptionPlan, first: ExecutableRequest, { isState, counts, onEnd }: EventGroupOptions) {
    this.#isState = isState;
    this.#onEnd = onEnd;
    let leader = first;
    this.#context = new SharedContext(() => {
      const [oldest] = this.#subscribers;
      // After the last subscriber has left, the session is only used for logs.
      if (oldest) leader = oldest.executable;
      return leader;
    });
    this.#run = new SubscriptionRun(plan, first.request.variables, this.#context, counts);
  }

  join(executable: ExecutableRequest): EventResults {
    const latest = this.#isState ? this.#latest : undefined;
    const subscriber = new GroupSubscriber(this, executable, this.#first + this.#events.length, latest);
    this.#subscribers.add(subscriber);
    return subscriber;
  }

  /** The next event of a subscriber. Undefined if it has to wait. */
  take(subscriber: GroupSubscriber): OperationResult | 'end' | undefined {
    const event = this.#events[subscriber.position - this.#first];
    if (event) {
      subscriber.position++;
      this.#taken(event);
      return event.result;
    }
    if (this.#end) return 'end';
    return undefined;
  }

  /** The reason for the end. Undefined if the source completed the subscription. */
  get failure(): Error | undefined {
    return this.#end?.error;
  }

  wait(subscriber: GroupSubscriber): void {
    this.#waiting.add(subscriber);
    this.#read();
  }

  leave(subscriber: GroupSubscriber): void {
    if (!this.#subscribers.delete(subscriber)) return;
    this.#waiting.delete(subscriber);
    for (let at = subscriber.position - this.#first; at < this.#events.length; at++) {
      const event = this.#events[at];
      if (event) event.missing--;
    }
    this.#dropTaken();
    if (this.#subscribers.size > 0 || this.#end) return;
    this.#context.cancellation.cancel();
    this.#finish({});
  }

  #read(): void {
    if (this.#isReading || this.#due.length > 0 || this.#waiting.size === 0 || this.#end) return;
    this.#isReading = true;
    this.#run.next(this);
  }

  result(result: OperationResult): void {
    this.#isReading = false;
    this.#add(result);
  }

  ended(error?: Error): void {
    this.#isReading = false;
    this.#finish({ error });
  }

  #add(result: OperationResult): void {
    if (this.#end) return;
    const text = bodyText(result);
    const written: OperationResult = text === undefined ? result : { ...result, text };
    const event = { result: written, length: text?.length ?? 0, missing: this.#subscribers.size };
    this.#events.push(event);
    this.#length += event.length;
    this.#latest = written;
    this.#cutOffSlow();
    this.#deliverToWaiting();
  }

  #finish(end: { readonly error?: Error | undefined }): void {
    if (this.#end) return;
    this.#end = end;
    this.#run.close();
    this.#onEnd();
    this.#deliverToWaiting();
  }

  /** Cuts off subscribers that are too far behind. A subscriber that waits for an event has taken all earlier ones. */
  #cutOffSlow(): void {
    const isTooMuch = () => this.#events.length > MAX_EVENTS_BEHIND || this.#length > MAX_LENGTH_BEHIND;
    while (this.#events.length > 1 && isTooMuch()) {
      const first = this.#first;
      for (const subscriber of this.#subscribers)
        if (subscriber.position === first) subscriber.cutOff(new SubscriptionEnded([refusedRequest(eventsMissed())]));
      // No subscriber is behind, since the oldest event is still being delivered.
      if (this.#first === first) return;
    }
  }

  #deliverToWaiting(): void {
    for (const subscriber of this.#waiting) this.#due.push(subscriber);
    this.#waiting.clear();
    if (!this.#isDelivering) this.#deliver();
  }

  #deliver(): void {
    for (const subscriber of this.#due.splice(0, DELIVERED_AT_ONCE)) subscriber.wake();
    this.#isDelivering = this.#due.length > 0;
    if (this.#isDelivering) setImmediate(() => this.#deliver());
    else this.#read();
  }

  #taken(event: GroupEvent): void {
    event.missing--;
    this.#dropTaken();
  }

  #dropTaken(): void {
    while (this.#events[0]?.missing === 0) {
      this.#length -= this.#events[0].length;
      this.#events.shift();
      this.#first++;
    }
  }
}

/** A subscription in a group. */
class GroupSubscriber implements EventResults {
  readonly executable: ExecutableRequest;
  /** The number of the event that the subscriber takes next. */
  position: number;
  readonly #group: EventGroup;
  /** The event that the subscriber gets before all others. */
  #opening: OperationResult | undefined;
  #taker: ResultTaker | undefined;
  #end: { readonly error?: Error | undefined } | undefined;

  constructor(
    group: EventGroup,
    executable: ExecutableRequest,
    position: number,
    opening: OperationResult | undefined,
  ) {
    this.#group = group;
    this.executable = executable;
    this.position = position;
    this.#opening = opening;
  }

  next(taker: ResultTaker): void {
    this.#taker = taker;
    if (!this.#give()) this.#group.wait(this);
  }

  /** Called when there is an event or the end. */
  wake(): void {
    if (this.#taker && !this.#give()) this.#group.wait(this);
  }

  cutOff(error: Error): void {
    this.#finish({ error });
  }

  close(): void {
    this.#finish({});
  }

  #finish(end: { readonly error?: Error | undefined }): void {
    this.#opening = undefined;
    this.#end ??= end;
    this.#group.leave(this);
    if (this.#taker) this.#give();
  }

  /** @returns false if there is nothing to deliver yet. */
  #give(): boolean {
    const taker = this.#taker;
    const opening = this.#opening;
    this.#opening = undefined;
    const given = this.#end ? 'end' : (opening ?? this.#group.take(this));
    if (given === undefined) return false;
    this.#taker = undefined;
    if (given === 'end') taker?.ended(this.#end ? this.#end.error : this.#group.failure);
    else taker?.result(given);
    return true;
  }
}

/**
 * The JSON body of a response with this result. Undefined if the result cannot be serialized; each subscriber then
 * reports that.
 */
function bodyText({ data, errors }: OperationResult): string | undefined {
  try {
    return JSON.stringify({ ...(errors && { errors }), data });
  } catch {
    return undefined;
  }
}
