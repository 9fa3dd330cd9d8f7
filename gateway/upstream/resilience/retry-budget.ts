/** How many retries a source may have that was not called for long. */
const RESERVE = 10;

/**
 * Keeps retries a share of the queries, so that a source that fails gets little more to do instead of a multiple. Each
 * query brings a part of a retry; what is not used is kept, up to a small reserve.
 */
export class RetryBudget {
  readonly #share: number;
  #left = RESERVE;

  /** @param percent retries for 100 queries. */
  constructor(percent: number) {
    this.#share = percent / 100;
    if (percent === 0) this.#left = 0;
  }

  /** A query has come. */
  deposit(): void {
    if (this.#left < RESERVE) this.#left = Math.min(RESERVE, this.#left + this.#share);
  }

  /** Takes a retry. @returns false when there is none left. */
  withdraw(): boolean {
    if (this.#left < 1) return false;
    this.#left--;
    return true;
  }
}
