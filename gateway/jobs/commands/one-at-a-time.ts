import { tooManyJobCommands } from './errors.ts';

/**
 * Runs work one after the other. Operators' commands of a sort thus take one connection of the process at most, of those by which
 * jobs are accepted and run.
 */
export class OneAtATime {
  readonly #most: number;
  #last: Promise<unknown> = Promise.resolve();
  #count = 0;

  /** @param most that may be there at a time, with the one that runs. */
  constructor(most: number) {
    this.#most = most;
  }

  /** @throws GatewayError where too much waits already, and what `work` throws. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#count >= this.#most) throw tooManyJobCommands();
    this.#count++;
    const before = this.#last;
    const run = before.then(work);
    this.#last = run.catch(() => {});
    try {
      return await run;
    } finally {
      this.#count--;
    }
  }
}
