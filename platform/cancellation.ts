/** Work that can be cancelled. */
export interface Cancellable {
  cancel(): void;
}

/**
 * Cancels work whose result is no longer needed: the client has disconnected, or the time is up. It does what an AbortSignal
 * does at a fraction of the cost: every request has one of these.
 */
export class Cancellation {
  #first: Cancellable | undefined;
  /** All but the first: hardly any operation has two running calls. */
  #others: Set<Cancellable> | undefined;
  #isCancelled = false;
  readonly #hasEnd: boolean;
  #isOver = false;
  #listeners: (() => void)[] | undefined;

  /** @param hasEnd whether `end` is called when no result of the work is needed any more. */
  constructor(hasEnd = false) {
    this.#hasEnd = hasEnd;
  }

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

  /**
   * Calls `listener` once, when no result of the work is needed any more.
   *
   * @returns false where that is not known; `listener` is not called then.
   */
  whenOver(listener: () => void): boolean {
    if (!this.#hasEnd) return false;
    if (this.#isOver) listener();
    else {
      this.#listeners ??= [];
      this.#listeners.push(listener);
    }
    return true;
  }

  /** Whether something waits for the end. */
  get isAwaited(): boolean {
    return this.#listeners !== undefined;
  }

  /** The results of the work have been sent, or are not waited for any more. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const listeners = this.#listeners ?? [];
    this.#listeners = undefined;
    for (const listener of listeners) listener();
  }

  /** Registers work that has begun. */
  add(work: Cancellable): void {
    if (!this.#first) this.#first = work;
    else {
      this.#others ??= new Set();
      this.#others.add(work);
    }
  }

  /** Removes work that is over. */
  delete(work: Cancellable): void {
    if (this.#first === work) this.#first = undefined;
    else this.#others?.delete(work);
  }
}

/**
 * A callback that takes the result of an asynchronous step. The step calls it exactly once, at once or later, and reports
 * failure as a value: it never throws, and the callback must not throw either.
 *
 * It is not a promise because the path of a forwarded request takes several such steps, each of which as a promise would
 * cost an allocation and a turn of the microtask queue. Code off that path uses promises; `new Promise<T>((resolve) =>
 * step(resolve))` makes one of a step.
 */
export type Done<T> = (result: T) => void;
