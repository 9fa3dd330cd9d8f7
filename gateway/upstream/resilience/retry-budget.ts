/** The number of retries that are possible before any query is counted. */
const RESERVE = 10;

/**
 * Limits retries to a share of the queries, so that a failing source receives only slightly more requests. Each query
 * adds a fraction of a retry. Unused retries accumulate up to a small reserve.
 */
export class RetryBudget {
  readonly #share: number;
  #left = RESERVE;

  /** @param percent the number of retries per 100 queries. */
  constructor(percent: number) {
    this.#share = percent / 100;
    if (percent === 0) this.#left = 0;
  }

  /** Called for each query. */
  deposit(): void {
    if (this.#left < RESERVE) this.#left = Math.min(RESERVE, this.#left + this.#share);
  }

  /** Takes a retry. @returns false if none is left. */
  withdraw(): boolean {
    if (this.#left < 1) return false;
    this.#left--;
    return true;
  }
}
