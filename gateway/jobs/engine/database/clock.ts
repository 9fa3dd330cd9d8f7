/**
 * Estimates the database's clock from the last time that the database reported and the monotonic time since then. A wrong or
 * changed system clock on this machine has no effect.
 */
export class DatabaseClock {
  #offsetMs = 0;

  /** @param nowMs the database's time, in milliseconds since 1970. */
  set(nowMs: number): void {
    this.#offsetMs = nowMs - performance.now();
  }

  /** Returns the current time in milliseconds since 1970. */
  now(): number {
    return this.at(performance.now());
  }

  /** Converts a moment of `performance.now()` to milliseconds since 1970. */
  at(moment: number): number {
    return Math.floor(moment + this.#offsetMs);
  }
}
