import { networkOf } from '../../../../platform/index.ts';
import { type Session, TENANT_VARIABLE } from '../../../access/session/index.ts';
import { type ConcurrencySettings, LinkedList, ListNode } from '../../../upstream/index.ts';
import { type HttpExchange, type Slot, takenSlot } from '../../http/index.ts';
import { serviceOverloaded } from '../errors.ts';

/** A caller may use at most one in this many slots, and the same share of the queue. */
const CALLER_SHARE = 4;
const RETRY_AFTER_SECONDS = 1;

/**
 * Limits the concurrent requests to one service, and queues further ones, first in, first out. A caller has at most a share of
 * the slots and of the queue, so a caller with many slow requests does not block others.
 */
export class ServiceBulkhead {
  readonly #settings: ConcurrencySettings;
  readonly #queue = new LinkedList<SlotWaiter>();
  readonly #callers = new Map<string, CallerCount>();
  #taken = 0;

  constructor(settings: ConcurrencySettings) {
    this.#settings = settings;
  }

  /**
   * Takes a slot if one is free. Queued requests do not come first: if one of them could use the slot, it would have it
   * already.
   */
  take(caller: string): Slot | undefined {
    if (!this.#isFreeFor(caller)) return undefined;
    return this.#take(caller);
  }

  /**
   * Waits in the queue for a slot. Resolves to undefined if the client has disconnected.
   *
   * @throws GatewayError `upstream-overloaded`
   */
  wait(caller: string, exchange: HttpExchange, service: string): Promise<Slot | undefined> {
    if (exchange.response.destroyed) return Promise.resolve(undefined);
    const { maxQueue, queueTimeoutMs } = this.#settings;
    const count = this.#countOf(caller);
    if (this.#queue.size >= maxQueue || count.waiting >= callerShareOf(maxQueue)) {
      this.#forget(caller, count);
      return Promise.reject(serviceOverloaded(service, RETRY_AFTER_SECONDS));
    }
    count.waiting++;
    return new Promise((resolve, reject) => {
      const waiting = new SlotWaiter(caller, () => {
        this.#dequeue(waiting);
        resolve(this.#take(caller));
      });
      const giveUp = (say: () => void) => () => {
        if (waiting.list === undefined) return;
        this.#dequeue(waiting);
        say();
      };
      waiting.timer = setTimeout(
        giveUp(() => reject(serviceOverloaded(service, RETRY_AFTER_SECONDS))),
        queueTimeoutMs,
      );
      this.#queue.add(waiting);
      exchange.onClose(giveUp(() => resolve(undefined)));
    });
  }

  #isFreeFor(caller: string): boolean {
    const { maxInFlight } = this.#settings;
    return this.#taken < maxInFlight && (this.#callers.get(caller)?.held ?? 0) < callerShareOf(maxInFlight);
  }

  #take(caller: string): Slot {
    const count = this.#countOf(caller);
    this.#taken++;
    count.held++;
    return takenSlot(() => {
      this.#taken--;
      count.held--;
      this.#forget(caller, count);
      this.#giveNext();
    });
  }

  /** Gives a released slot to the first queued request whose caller may use it. */
  #giveNext(): void {
    for (let one = this.#queue.first; one; one = one.after as SlotWaiter | undefined) {
      if (!this.#isFreeFor(one.caller)) continue;
      one.proceed();
      return;
    }
  }

  #dequeue(waiting: SlotWaiter): void {
    clearTimeout(waiting.timer);
    this.#queue.delete(waiting);
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

/** A caller's slots and queued requests at a service. Removed when both are 0. */
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

function callerShareOf(number: number): number {
  return Math.max(1, Math.floor(number / CALLER_SHARE));
}

/** Returns the key by which slots are counted: the user and tenant, or the client's network if there is no user. */
export function callerOf(session: Session | undefined, address: string): string {
  const user = session?.variables['x-hasura-user-id'];
  if (user === undefined) return `address ${networkOf(address)}`;
  return `user ${JSON.stringify([user, session?.variables[TENANT_VARIABLE]])}`;
}
