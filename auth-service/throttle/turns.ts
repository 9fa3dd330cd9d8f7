/** How long an attempt waits for others at most. */
const PATIENCE_MS = 5_000;

/** What is under way at one counter. */
interface Place {
  /** How many know of this place; it is gone with the last. */
  visitors: number;
  /** Attempts that are asking to be admitted, or are and have their secret looked at. */
  readonly open: Set<Visit>;
  /** How often something was given back here. */
  returned: number;
  readonly queue: Set<Waiter>;
}

interface Waiter {
  /** What had been given back when it last asked. */
  readonly seen: number;
  /** Those that were open when it came, and still are. It does not wait for who comes later, of whom there may be no end. */
  readonly before: Set<Visit>;
  wake(again: boolean): void;
}

/** One attempt's way through the places that it needs. */
export interface Visit {
  /** To be called before each question for admission: what is given back from here on is noticed. */
  ask(): void;
  /** Called after the question was answered: the attempt needs these places only. */
  keepTo(keys: readonly string[]): void;
  /**
   * Called when the counter `key` had no room. Waits where the room may be taken by attempts whose outcome is still
   * open, and may be given back.
   *
   * @returns whether to ask again. If not, the room was used up by failures, or too many wait already.
   */
  wait(key: string): Promise<boolean>;
  /** The attempt was admitted and is over. `gave`: whether something was given back. */
  end(gave: boolean): void;
  /** Always called last. */
  leave(): void;
}

/**
 * Lets attempts wait for those before them in this process. An attempt takes its share of the allowance before its secret
 * is looked at, so several right ones at once, as of browser tabs that wake up together, would find it used up. They
 * wait here for what the others give back, rather than being refused.
 */
export class Turns {
  readonly #places = new Map<string, Place>();
  readonly #maxWaiting: number;

  /** @param maxWaiting how many may wait at one counter. */
  constructor(maxWaiting: number) {
    this.#maxWaiting = maxWaiting;
  }

  enter(keys: readonly string[]): Visit {
    const places = new Map(keys.map((key) => [key, this.#enter(key)]));
    let seen = new Map<string, number>();
    const close = (gave: boolean) => {
      for (const place of places.values()) if (place.open.has(visit)) closeOne(place, visit, gave);
    };
    const visit: Visit = {
      ask: () => {
        seen = new Map([...places].map(([key, { returned }]) => [key, returned]));
        for (const place of places.values()) place.open.add(visit);
      },
      keepTo: (needed) => {
        for (const [key, place] of places) if (!needed.includes(key)) closeOne(place, visit, false);
      },
      wait: async (key) => {
        close(false);
        const place = places.get(key);
        return place !== undefined && this.#wait(place, seen.get(key) ?? 0);
      },
      end: close,
      leave: () => {
        close(false);
        for (const [key, place] of places) this.#leave(key, place);
      },
    };
    return visit;
  }

  async #wait(place: Place, seen: number): Promise<boolean> {
    if (place.returned !== seen) return true;
    if (place.open.size === 0 || place.queue.size >= this.#maxWaiting) return false;
    return new Promise((resolve) => {
      const waiter: Waiter = {
        seen,
        before: new Set(place.open),
        wake: (again) => {
          clearTimeout(timer);
          place.queue.delete(waiter);
          resolve(again);
        },
      };
      const timer = setTimeout(() => waiter.wake(false), PATIENCE_MS);
      place.queue.add(waiter);
    });
  }

  #enter(key: string): Place {
    const place = this.#places.get(key) ?? { visitors: 0, open: new Set(), returned: 0, queue: new Set() };
    place.visitors += 1;
    this.#places.set(key, place);
    return place;
  }

  #leave(key: string, place: Place): void {
    place.visitors -= 1;
    if (place.visitors === 0) this.#places.delete(key);
  }
}

/** What was given back is room for one more. When nobody before them is open any more, all learn where they stand. */
function closeOne(place: Place, visit: Visit, gave: boolean): void {
  place.open.delete(visit);
  if (gave) place.returned += 1;
  const [first] = place.queue;
  if (gave) first?.wake(true);
  for (const waiter of [...place.queue]) {
    waiter.before.delete(visit);
    if (waiter.before.size === 0) waiter.wake(place.returned !== waiter.seen);
  }
}
