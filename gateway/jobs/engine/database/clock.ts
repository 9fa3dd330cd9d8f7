/**
 * The clock of the database, as far as this process knows it: the time that it said last and what has passed since then, by the
 * monotonic clock. A clock of this machine that is wrong or jumps does not matter to it.
 */
export class DatabaseClock {
  #offsetMs = 0;

  /** @param nowMs what the database says, in milliseconds since 1970. */
  set(nowMs: number): void {
    this.#offsetMs = nowMs - performance.now();
  }

  /** In milliseconds since 1970. */
  now(): number {
    return this.at(performance.now());
  }

  /** When a moment of `performance.now()` is or was, in milliseconds since 1970. */
  at(moment: number): number {
    return Math.floor(moment + this.#offsetMs);
  }
}
