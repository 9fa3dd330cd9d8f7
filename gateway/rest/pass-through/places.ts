import { networkOf } from '../../../platform/index.ts';
import { GatewayError } from '../../errors.ts';
import type { Exchange } from '../../http/index.ts';
import { Chain, type ConcurrencySettings, Link } from '../../resilience/index.ts';
import type { Session } from '../../session/index.ts';

/** The part of the places, and of the line for them, that one caller may have: one of so many. */
const CALLER_SHARE = 4;
const RETRY_AFTER_SECONDS = 1;

/** A request that is under way to a service. */
export interface Place {
  /** Gives it back. Later calls do nothing. */
  leave(): void;
}

/**
 * The requests that may be under way to one service at a time, and the line of those who wait: first come, first served,
 * but one caller has a share at most. Whoever keeps slow requests open therefore takes nothing away from others.
 */
export class ServicePlaces {
  readonly #settings: ConcurrencySettings;
  readonly #line = new Chain<Waiting>();
  readonly #callers = new Map<string, CallerCount>();
  #taken = 0;

  constructor(settings: ConcurrencySettings) {
    this.#settings = settings;
  }

  /** A place, if there is one. Nobody in the line could have it: it would be theirs already. */
  take(caller: string): Place | undefined {
    if (!this.#isFreeFor(caller)) return undefined;
    return this.#take(caller);
  }

  /**
   * Waits for a place in the line; undefined when the client has gone.
   *
   * @throws GatewayError `upstream-overloaded`
   */
  wait(caller: string, exchange: Exchange, service: string): Promise<Place | undefined> {
    if (exchange.response.destroyed) return Promise.resolve(undefined);
    const { maxQueue, queueTimeoutMs } = this.#settings;
    const count = this.#countOf(caller);
    if (this.#line.size >= maxQueue || count.waiting >= shareOf(maxQueue)) {
      this.#forget(caller, count);
      return Promise.reject(overloaded(service));
    }
    count.waiting++;
    return new Promise((resolve, reject) => {
      const waiting = new Waiting(caller, () => {
        this.#leaveLine(waiting);
        resolve(this.#take(caller));
      });
      const giveUp = (say: () => void) => () => {
        if (waiting.chain === undefined) return;
        this.#leaveLine(waiting);
        say();
      };
      waiting.timer = setTimeout(
        giveUp(() => reject(overloaded(service))),
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

  #take(caller: string): Place {
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
    for (let one = this.#line.first; one; one = one.after as Waiting | undefined) {
      if (!this.#isFreeFor(one.caller)) continue;
      one.proceed();
      return;
    }
  }

  #leaveLine(waiting: Waiting): void {
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

/** What one caller has of a service; kept while it is anything. */
interface CallerCount {
  held: number;
  waiting: number;
}

class Waiting extends Link {
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

function overloaded(service: string): GatewayError {
  return new GatewayError('upstream-overloaded', `the service "${service}" has too many requests at the moment`, {
    headers: { 'retry-after': String(RETRY_AFTER_SECONDS) },
  });
}

/** Who has a place: the user, of a tenant where users have one; the client's address where no user is named. */
export function callerOf(session: Session | undefined, address: string): string {
  const user = session?.variables['x-hasura-user-id'];
  if (user === undefined) return `address ${networkOf(address)}`;
  return `user ${JSON.stringify([user, session?.variables['x-hasura-tenant-id']])}`;
}

/** Connections that stay open for as long as their clients like: WebSockets and event streams. */
export class LiveConnections {
  readonly #max: number;
  #open = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** @throws GatewayError `service-unavailable` when there are as many as there may be. */
  enter(): Place {
    if (this.#open >= this.#max)
      throw new GatewayError('service-unavailable', 'too many connections stay open here', {
        headers: { 'retry-after': '5' },
      });
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
