import { Chain, Link } from './chain.ts';
import type { ConcurrencySettings } from './settings.ts';

/** Something that may wait for a place. */
export abstract class InLine extends Link {
  /** It has one now. */
  abstract proceed(): void;
}

/** The places that one source has in the gateway, and the line of those who wait for one: first come, first served. */
export class Bulkhead {
  readonly #settings: ConcurrencySettings;
  readonly #line = new Chain<InLine>();
  #inFlight = 0;
  #isHandingOut = false;

  constructor(settings: ConcurrencySettings) {
    this.#settings = settings;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  get queued(): number {
    return this.#line.size;
  }

  /** Takes a place, if there is one that nobody waits for. */
  enter(): boolean {
    if (this.#inFlight >= this.#settings.maxInFlight || this.#line.size > 0) return false;
    this.#inFlight++;
    return true;
  }

  /** Lines up for a place. @returns false when the line is full. */
  lineUp(one: InLine): boolean {
    if (this.#line.size >= this.#settings.maxQueue) return false;
    this.#line.add(one);
    return true;
  }

  /** Leaves the line. */
  giveUp(one: InLine): void {
    this.#line.delete(one);
  }

  /** Gives a place back; the first in line gets it. */
  leave(): void {
    this.#inFlight--;
    // Whoever gets a place may give it back at once.
    if (this.#isHandingOut) return;
    this.#isHandingOut = true;
    try {
      for (let next = this.#line.first; next; next = this.#line.first) {
        if (this.#inFlight >= this.#settings.maxInFlight) break;
        this.#line.delete(next);
        this.#inFlight++;
        next.proceed();
      }
    } finally {
      // One that fails must not keep all others waiting for ever.
      this.#isHandingOut = false;
    }
  }
}
