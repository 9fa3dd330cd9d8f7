/**
 * Shares expensive runs between concurrent requests. One run is active at a time. Everyone who asks after it has begun shares
 * the next one, so that its result is newer than their requests.
 */
export class LatestRun<T> {
  readonly #run: () => Promise<T>;
  #running: Promise<unknown> | undefined;
  #waiting: Promise<T> | undefined;

  constructor(run: () => Promise<T>) {
    this.#run = run;
  }

  get(): Promise<T> {
    if (this.#waiting) return this.#waiting;
    if (!this.#running) return this.#begin();
    const waiting = this.#running.then(() => {
      this.#waiting = undefined;
      return this.#begin();
    });
    this.#waiting = waiting;
    return waiting;
  }

  #begin(): Promise<T> {
    const run = this.#run();
    const running = run.then(
      () => {},
      () => {},
    );
    this.#running = running;
    void running.then(() => {
      if (this.#running === running) this.#running = undefined;
    });
    return run;
  }
}
