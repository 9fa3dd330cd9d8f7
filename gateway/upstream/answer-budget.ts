/** A response that is being received, whose reading can be paused. */
export interface BudgetedAnswer {
  hold(): void;
  release(): void;
}

/**
 * Bytes of each response that are not counted: the memory of small responses is bounded by the number of requests.
 */
export const UNCOUNTED_BYTES = 64 * 1024;

/** Responses of a source that uses less than this share of the budget are never paused because of others. */
const SHARE_OF_A_SOURCE = 1 / 4;

/** How long a response waits for those before it to be sent to their clients. */
const PATIENCE_MS = 1_000;

/**
 * How many bytes of responses may be in memory at a time, over all sources of this process. A limit for each response
 * alone is not enough: hundreds may be in flight, and a service with endless responses would use the memory of all
 * others.
 *
 * Once the budget is spent, responses of the sources that use most are no longer read, so that these have to wait (TCP
 * flow control). One of them, the first to have exceeded it, is read on: otherwise all of them could wait for each
 * other. A response counts until the client has what is made of it. While that takes the budget, the next response waits
 * for a second at most, since a request may need several before it sends anything. So the memory in use is at most the budget,
 * the longest response that is allowed, and a quarter of the budget for each further source, unless clients read slowly.
 */
export class AnswerBudget {
  readonly #maxBytes: number;
  /** The response that is read on although the budget is spent. */
  #running: BudgetedAnswer | undefined;
  readonly #held = new Set<BudgetedAnswer>();
  #bytes = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The counted bytes of responses in memory. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The number of paused responses. */
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
      keep: (bytes) => {
        ofSource += bytes;
        this.#bytes += bytes;
      },
      giveBack: (bytes, answer) => {
        ofSource -= bytes;
        this.#bytes -= bytes;
        this.#givenBack(answer);
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

  #givenBack(answer: BudgetedAnswer | undefined): void {
    if (answer) {
      this.#held.delete(answer);
      if (this.#running === answer) this.#running = undefined;
    }
    if (this.#bytes <= this.#maxBytes / 2) {
      for (const one of this.#held) one.release();
      this.#held.clear();
    } else if (!this.#running && this.#held.size > 0) {
      if (this.#bytes <= this.#maxBytes) this.#releaseNext();
      else this.#timer ??= setTimeout(() => this.#goOn(), PATIENCE_MS).unref();
    }
  }

  #goOn(): void {
    this.#timer = undefined;
    if (!this.#running) this.#releaseNext();
  }

  #releaseNext(): void {
    const [next] = this.#held;
    if (!next) return;
    this.#running = next;
    this.#held.delete(next);
    next.release();
  }
}

export interface SourceBudget {
  /** Counts received bytes; pauses the response when they exceed the budget. */
  take(bytes: number, answer: BudgetedAnswer): void;
  /** Counts what is made of a response that has been received. */
  keep(bytes: number): void;
  /** Gives back bytes of a response that has ended. Without `answer` what was left of them then. */
  giveBack(bytes: number, answer?: BudgetedAnswer): void;
}
