/** The time an activation waits for further arrivals that may share it, in milliseconds. */
const PAUSE_MS = { afterEach: 150, atMost: 1_000 };

/** Batches activations. Arrivals during an activation or in quick succession share the next activation. */
export class ActivationBatcher {
  readonly #activate: () => Promise<void>;
  /** The batch that waits for its activation. */
  #next: { readonly taken: Promise<void>; readonly begin: () => void; readonly since: number } | undefined;
  #timer: NodeJS.Timeout | undefined;
  #last: Promise<void> = Promise.resolve();
  #pending = 0;

  constructor(activate: () => Promise<void>) {
    this.#activate = activate;
  }

  /** Whether an arrival is not activated yet. */
  get isPending(): boolean {
    return this.#pending > 0;
  }

  /**
   * Adds an arrival to the next batch.
   *
   * @param isLast whether no further arrival is expected soon.
   * @returns a promise that resolves when the arrival is activated.
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
        // Later arrivals may miss this activation, so they start a new batch.
        this.#next = undefined;
        return this.#activate();
      })
      .finally(() => {
        this.#pending -= 1;
      });
    this.#pending += 1;
    this.#last = taken.catch(() => {});
    return { taken, begin, since: performance.now() };
  }
}
