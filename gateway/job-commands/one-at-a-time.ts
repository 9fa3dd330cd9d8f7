import { tooManyJobCommands } from './errors.ts';

/**
 * Runs work one after the other. Operators' commands thus take one connection of the process at most, of those by which jobs are
 * accepted and run.
 */
export class OneAtATime {
  readonly #mostWaiting: number;
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  constructor(mostWaiting: number) {
    this.#mostWaiting = mostWaiting;
  }

  /** @throws GatewayError where too much waits already, and what `work` throws. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#waiting >= this.#mostWaiting) throw tooManyJobCommands();
    this.#waiting++;
    const before = this.#last;
    const run = before.then(work);
    this.#last = run.catch(() => {});
    try {
      return await run;
    } finally {
      this.#waiting--;
    }
  }
}
