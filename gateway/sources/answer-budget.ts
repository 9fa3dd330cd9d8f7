/** An answer that is being received: how it is held up, and how it goes on. */
export interface BudgetedAnswer {
  hold(): void;
  release(): void;
}

/**
 * What of an answer costs nothing of the budget, in bytes: as many small answers as may be under way need not be counted.
 */
export const UNCOUNTED_BYTES = 64 * 1024;

/**
 * How many bytes of answers may be in memory at a time, over all sources of this process. A limit for each answer alone
 * is none: a few hundred may be under way, and a service whose answers do not end would take the memory of all others.
 *
 * Once the budget is spent, answers are no longer read, so that their services have to wait (TCP flow control). One of
 * them, the first to have been held up, goes on beyond the budget: else, with each holding what another needs, none would
 * end. So the memory that is taken is the budget and the longest answer that is allowed.
 */
export class AnswerBudget {
  readonly #maxBytes: number;
  readonly #held = new Set<BudgetedAnswer>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Bytes of answers that are in memory, but for what is not counted. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Answers that are not read for now. */
  get held(): number {
    return Math.max(this.#held.size - 1, 0);
  }

  /** Counts bytes that have come; holds the answer up when that is too much. */
  take(bytes: number, answer: BudgetedAnswer): void {
    this.#bytes += bytes;
    if (this.#bytes <= this.#maxBytes || this.#held.has(answer)) return;
    this.#held.add(answer);
    if (this.#held.size > 1) answer.hold();
  }

  /** An answer is over: it gives back what it took. */
  giveBack(bytes: number, answer: BudgetedAnswer): void {
    this.#bytes -= bytes;
    const [first] = this.#held;
    this.#held.delete(answer);
    if (this.#bytes <= this.#maxBytes / 2) {
      const held = [...this.#held];
      this.#held.clear();
      for (const one of held) one.release();
    } else if (first === answer) {
      const [next] = this.#held;
      next?.release();
    }
  }
}
