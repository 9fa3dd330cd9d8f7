/** Work that can be given up half-way. */
export interface Cancellable {
  cancel(): void;
}

/**
 * Tells those who work on an answer that nobody waits for it any more: the client has gone, or the time is up. What an
 * AbortSignal does, for a fraction of its price: every request has one of these.
 */
export class Cancellation {
  #first: Cancellable | undefined;
  /** All but the first: hardly any operation asks for two things at a time. */
  #others: Set<Cancellable> | undefined;
  #isCancelled = false;

  get isCancelled(): boolean {
    return this.#isCancelled;
  }

  /** Cancels all work that is under way; work that begins later finds `isCancelled` set. */
  cancel(): void {
    if (this.#isCancelled) return;
    this.#isCancelled = true;
    const work = [this.#first, ...(this.#others ?? [])];
    this.#first = undefined;
    this.#others = undefined;
    for (const one of work) one?.cancel();
  }

  /** Work that has begun. */
  add(work: Cancellable): void {
    if (!this.#first) this.#first = work;
    else {
      this.#others ??= new Set();
      this.#others.add(work);
    }
  }

  /** Work that is over. */
  delete(work: Cancellable): void {
    if (this.#first === work) this.#first = undefined;
    else this.#others?.delete(work);
  }
}
