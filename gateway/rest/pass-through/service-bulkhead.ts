import { networkOf } from '../../../platform/index.ts';
import { tooManyConnections } from '../../errors.ts';
import type { HttpExchange } from '../../http/index.ts';
import type { Session } from '../../session/index.ts';
import { type ConcurrencySettings, LinkedList, ListNode } from '../../upstream/index.ts';
import { serviceOverloaded } from '../errors.ts';

/** The part of the places, and of the line for them, that one caller may have: one of so many. */
const CALLER_SHARE = 4;
const RETRY_AFTER_SECONDS = 1;

/** A request that is under way to a service. */
export interface ServiceSlot {
  /** Gives it back. Later calls do nothing. */
  leave(): void;
}

/**
 * The requests that may be under way to one service at a time, and the line of those who wait: first come, first served,
 * but one caller has a share at most. A caller with many slow requests therefore takes nothing away from others.
 */
export class ServiceBulkhead {
  readonly #settings: ConcurrencySettings;
  readonly #line = new LinkedList<SlotWaiter>();
  readonly #callers = new Map<string, CallerCount>();
  #taken = 0;

  constructor(settings: ConcurrencySettings) {
    this.#settings = settings;
  }

  /** A slot, if there is a free one. No queued request could use it: it would have got it already. */
  take(caller: string): ServiceSlot | undefined {
    if (!this.#isFreeFor(caller)) return undefined;
    return this.#take(caller);
  }

  /**
   * Waits for a place in the line; undefined when the client has gone.
   *
   * @throws GatewayError `upstream-overloaded`
   */
  wait(caller: string, exchange: HttpExchange, service: string): Promise<ServiceSlot | undefined> {
    if (exchange.response.destroyed) return Promise.resolve(undefined);
    const { maxQueue, queueTimeoutMs } = this.#settings;
    const count = this.#countOf(caller);
    if (this.#line.size >= maxQueue || count.waiting >= shareOf(maxQueue)) {
      this.#forget(caller, count);
      return Promise.reject(serviceOverloaded(service, RETRY_AFTER_SECONDS));
    }
    count.waiting++;
    return new Promise((resolve, reject) => {
      const waiting = new SlotWaiter(caller, () => {
        this.#leaveLine(waiting);
        resolve(this.#take(caller));
      });
      const giveUp = (say: () => void) => () => {
        if (waiting.chain === undefined) return;
        this.#leaveLine(waiting);
        say();
      };
      waiting.timer = setTimeout(
        giveUp(() => reject(serviceOverloaded(service, RETRY_AFTER_SECONDS))),
        queueTimeoutMs,
      );
      this.#line.add(waiting);
      exchange.onClose(giveUp(() => resolve(undefined)));
    });
  }

  #isFreeFor(caller: string): boolean {
    const { maxInFlight } = this.#settings;
    return this.#taken < maxInFlight && (this.#callers.get(caller)?.held ?? 0) < shareOf(maxInFlight);
  }

  #take(caller: string): ServiceSlot {
    const count = this.#countOf(caller);
    this.#taken++;
    count.held++;
    let isHeld = true;
    return {
      leave: () => {
        if (!isHeld) return;
        isHeld = false;
        this.#taken--;
        count.held--;
        this.#forget(caller, count);
        this.#handOn();
      },
    };
  }

  /** A place that was given back is for the first in line who may have it. */
  #handOn(): void {
    for (let one = this.#line.first; one; one = one.after as SlotWaiter | undefined) {
      if (!this.#isFreeFor(one.caller)) continue;
      one.proceed();
      return;
    }
  }

  #leaveLine(waiting: SlotWaiter): void {
    clearTimeout(waiting.timer);
    this.#line.delete(waiting);
    const count = this.#countOf(waiting.caller);
    count.waiting--;
    this.#forget(waiting.caller, count);
  }

  #countOf(caller: string): CallerCount {
    const known = this.#callers.get(caller);
    if (known) return known;
    const count = { held: 0, waiting: 0 };
    this.#callers.set(caller, count);
    return count;
  }

  #forget(caller: string, { held, waiting }: CallerCount): void {
    if (held === 0 && waiting === 0) this.#callers.delete(caller);
  }
}

/** The slots and queued requests of one caller at a service; removed when there are none. */
interface CallerCount {
  held: number;
  waiting: number;
}

class SlotWaiter extends ListNode {
  timer: NodeJS.Timeout | undefined;

  constructor(
    readonly caller: string,
    readonly proceed: () => void,
  ) {
    super();
  }
}

function shareOf(number: number): number {
  return Math.max(1, Math.floor(number / CALLER_SHARE));
}

/** The key that slots are counted by: the user with its tenant, or the client's network where no user is named. */
export function callerOf(session: Session | undefined, address: string): string {
  const user = session?.variables['x-hasura-user-id'];
  if (user === undefined) return `address ${networkOf(address)}`;
  return `user ${JSON.stringify([user, session?.variables['x-hasura-tenant-id']])}`;
}

/** Connections that stay open for as long as their clients like: WebSockets and event streams. */
export class LongLivedConnections {
  readonly #max: number;
  #open = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** @throws GatewayError `service-unavailable` when there are as many as there may be. */
  enter(): ServiceSlot {
    if (this.#open >= this.#max) throw tooManyConnections();
    this.#open++;
    let isHeld = true;
    return {
      leave: () => {
        if (isHeld) this.#open--;
        isHeld = false;
      },
    };
  }
}
