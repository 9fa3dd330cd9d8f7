/** A response that is being received. Its reading can be paused. */
export interface BudgetedAnswer {
  hold(): void;
  release(): void;
}

/**
 * The number of bytes of each response that are not counted. The number of requests limits the memory of small
 * responses.
 */
export const UNCOUNTED_BYTES = 64 * 1024;

/** The share of the budget below which a source's responses are never paused because of other sources. */
const SHARE_OF_A_SOURCE = 1 / 4;

/** The time for which a response waits until earlier responses have been sent to their clients, in milliseconds. */
const PATIENCE_MS = 1_000;

/**
 * Limits the bytes of responses in memory, over all sources of this process. A limit for each response is not enough:
 * hundreds may be in flight, and a service with endless responses would use the memory of all others.
 *
 * When the budget is spent, responses of the sources that use most are no longer read, so that these sources have to
 * wait (TCP flow control). The first response that exceeded the budget is still read; otherwise all responses could
 * wait for each other.
 *
 * A response counts until the client has received the result made from it. While such responses use the budget, the
 * next response waits at most one second, since a request may need several responses before it sends anything.
 *
 * The memory in use is therefore limited to the budget, the longest permitted response, and a quarter of the budget for
 * each further source, unless clients read slowly.
 */
export class AnswerBudget {
  readonly #maxBytes: number;
  /** The response that is still read although the budget is spent. */
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

  /** The view of the budget for one source. */
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
  /** Counts received bytes. Pauses the response if the budget is exceeded. */
  take(bytes: number, answer: BudgetedAnswer): void;
  /** Counts the memory of values made from a received response. */
  keep(bytes: number): void;
  /** Releases counted bytes. `answer` is the response if it has just ended, undefined if its bytes were kept longer. */
  giveBack(bytes: number, answer?: BudgetedAnswer): void;
}
