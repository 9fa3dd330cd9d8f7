/** Queues, and tenants of queues, of which this process begins no job for now, since what runs their jobs cannot be called. */
export class PausedQueues {
  /** Until when, by `performance.now()`. */
  readonly #until = new Map<string, number>();

  /** @param key of the queue or of the lane. */
  pause(key: string, ms: number): void {
    if (ms <= 0) return;
    this.#until.set(key, Math.max(this.#until.get(key) ?? 0, performance.now() + ms));
  }

  keys(): readonly string[] {
    const now = performance.now();
    for (const [key, until] of this.#until) if (until <= now) this.#until.delete(key);
    return [...this.#until.keys()];
  }

  /** In how many milliseconds the next pause ends; Infinity where there is none. */
  nextEndMs(): number {
    const now = performance.now();
    return Math.min(...[...this.#until.values()].map((until) => until - now));
  }
}
