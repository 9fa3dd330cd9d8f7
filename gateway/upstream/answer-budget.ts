/** An answer that is being received: how it is held up, and how it goes on. */
export interface BudgetedAnswer {
  hold(): void;
  release(): void;
}

/**
 * What of an answer costs nothing of the budget, in bytes: as many small answers as may be under way need not be counted.
 */
export const UNCOUNTED_BYTES = 64 * 1024;

/** A source that takes less than this part of the budget is never held up for what others take. */
const SHARE_OF_A_SOURCE = 1 / 4;

/**
 * How many bytes of answers may be in memory at a time, over all sources of this process. A limit for each answer alone is
 * none: a few hundred may be under way, and a service whose answers do not end would take the memory of all others.
 *
 * Once the budget is spent, answers of the sources that take most are no longer read, so that these have to wait (TCP flow
 * control). One of them, the first to have gone over it, goes on: else, with each holding what another needs, none would
 * end. So the memory that is taken is the budget, the longest answer that is allowed, and a quarter of the budget for each
 * further source.
 */
export class AnswerBudget {
  readonly #maxBytes: number;
  /** Goes on although the budget is spent. */
  #running: BudgetedAnswer | undefined;
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
    return this.#held.size;
  }

  /** The budget as one source has it. */
  ofSource(): SourceBudget {
    let ofSource = 0;
    return {
      take: (bytes, answer) => {
        ofSource += bytes;
        this.#bytes += bytes;
        if (this.#bytes > this.#maxBytes && ofSource > this.#maxBytes * SHARE_OF_A_SOURCE) this.#restrain(answer);
      },
      giveBack: (bytes, answer) => {
        ofSource -= bytes;
        this.#bytes -= bytes;
        this.#ended(answer);
      },
    };
  }

  #restrain(answer: BudgetedAnswer): void {
    if (this.#running === answer || this.#held.has(answer)) return;
    if (!this.#running) {
      this.#running = answer;
      return;
    }
    this.#held.add(answer);
    answer.hold();
  }

  #ended(answer: BudgetedAnswer): void {
    this.#held.delete(answer);
    if (this.#running === answer) this.#running = undefined;
    if (this.#bytes <= this.#maxBytes / 2) {
      for (const one of this.#held) one.release();
      this.#held.clear();
    } else if (!this.#running) {
      const [next] = this.#held;
      if (!next) return;
      this.#running = next;
      this.#held.delete(next);
      next.release();
    }
  }
}

export interface SourceBudget {
  /** Counts bytes that have come; holds the answer up when that is too much. */
  take(bytes: number, answer: BudgetedAnswer): void;
  /** An answer is over: it gives back what it took. */
  giveBack(bytes: number, answer: BudgetedAnswer): void;
}
