/**
 * Runs something costly for all who ask for it at the same time: one run at a time, and one more for all who have asked since it
 * began, whose result is then of a time after their request.
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
