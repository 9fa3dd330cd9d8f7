/** Work that can be cancelled. */
export interface Cancellable {
  cancel(): void;
}

/**
 * Cancels work whose result is no longer needed because the client has disconnected or the time is up. It works like an
 * AbortSignal at a fraction of the cost, since every request has one.
 */
export class Cancellation {
  #first: Cancellable | undefined;
  /** All but the first, since hardly any operation has two concurrent calls. */
  #others: Set<Cancellable> | undefined;
  #isCancelled = false;
  readonly #hasEnd: boolean;
  #isOver = false;
  #listeners: (() => void)[] | undefined;

  /** @param hasEnd whether `end` is called once no result of the work is needed any more. */
  constructor(hasEnd = false) {
    this.#hasEnd = hasEnd;
  }

  get isCancelled(): boolean {
    return this.#isCancelled;
  }

  /** Cancels all running work. Work that begins later finds `isCancelled` set. */
  cancel(): void {
    if (this.#isCancelled) return;
    this.#isCancelled = true;
    const work = [this.#first, ...(this.#others ?? [])];
    this.#first = undefined;
    this.#others = undefined;
    for (const one of work) one?.cancel();
  }

  /**
   * Calls `listener` once no result of the work is needed any more.
   *
   * @returns false if the end is not known. `listener` is not called then.
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

  /** Whether a listener waits for the end. */
  get isAwaited(): boolean {
    return this.#listeners !== undefined;
  }

  /** Reports that the results have been sent, or that nothing waits for them any more. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const listeners = this.#listeners ?? [];
    this.#listeners = undefined;
    for (const listener of listeners) listener();
  }

  /** Registers running work. */
  add(work: Cancellable): void {
    if (!this.#first) this.#first = work;
    else {
      this.#others ??= new Set();
      this.#others.add(work);
    }
  }

  /** Removes finished work. */
  delete(work: Cancellable): void {
    if (this.#first === work) this.#first = undefined;
    else this.#others?.delete(work);
  }
}

/** Runs work with a cancellation that an abort signal triggers. */
export async function cancelledBy<T>(signal: AbortSignal, run: (cancellation: Cancellation) => Promise<T>): Promise<T> {
  const cancellation = new Cancellation();
  const cancel = () => cancellation.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    return await run(cancellation);
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

/**
 * A callback that takes the result of an asynchronous step. The step calls it exactly once, immediately or later, and passes
 * failures as values. Neither the step nor the callback may throw.
 *
 * A forwarded request takes several such steps, and a promise for each would cost an allocation and a turn of the microtask
 * queue. Other code uses promises: `new Promise<T>((resolve) => step(resolve))` turns a step into one.
 */
export type Done<T> = (result: T) => void;
