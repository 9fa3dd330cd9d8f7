import type { Logger } from './logging/index.ts';

/** Functions that are called at each event. If one throws, the error is logged and the others are still called. */
export class Listeners<Event = void> {
  readonly #listeners = new Set<(event: Event) => void>();
  readonly #log: Logger;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** @returns a function that removes the listener. */
  add(listener: (event: Event) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Calls every listener. Never throws. */
  notify(event: Event): void {
    for (const listener of this.#listeners) {
      try {
        listener(event);
      } catch (error) {
        this.#log.error({ event: 'listener.failed', err: error }, 'a listener failed');
      }
    }
  }
}
