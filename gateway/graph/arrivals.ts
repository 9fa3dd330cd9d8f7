/** How long those are waited for that may come with the ones that have come, in milliseconds. */
const PAUSE_MS = { afterEach: 150, atMost: 1_000 };

/**
 * Takes in what arrives, several at once: what comes while others are taken in, or soon after another one, is taken in
 * with the rest.
 */
export class Arrivals {
  readonly #takeIn: () => Promise<void>;
  /** Those that wait to be taken in. */
  #next: { readonly taken: Promise<void>; readonly begin: () => void; readonly since: number } | undefined;
  #timer: NodeJS.Timeout | undefined;
  #last: Promise<void> = Promise.resolve();
  #pending = 0;

  constructor(takeIn: () => Promise<void>) {
    this.#takeIn = takeIn;
  }

  /** Whether anything has arrived that is not taken in yet. */
  get isPending(): boolean {
    return this.#pending > 0;
  }

  /**
   * Something has arrived.
   *
   * @param isLast whether nothing is known of that may come with it.
   * @returns when it has been taken in.
   */
  add(isLast: boolean): Promise<void> {
    this.#next ??= this.#newBatch();
    const { taken, begin, since } = this.#next;
    clearTimeout(this.#timer);
    const left = since + PAUSE_MS.atMost - performance.now();
    if (isLast || left <= 0) begin();
    else this.#timer = setTimeout(begin, Math.min(PAUSE_MS.afterEach, left)).unref();
    return taken;
  }

  #newBatch() {
    let begin = () => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const before = this.#last;
    const taken = begun
      .then(() => before)
      .then(() => {
        // From here on, what arrives may be too late for this one.
        this.#next = undefined;
        return this.#takeIn();
      })
      .finally(() => {
        this.#pending -= 1;
      });
    this.#pending += 1;
    this.#last = taken.catch(() => {});
    return { taken, begin, since: performance.now() };
  }
}
