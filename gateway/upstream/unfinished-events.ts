/** Bytes of an event that are not counted: the memory of short events is bounded by the number of subscriptions. */
const UNCOUNTED_BYTES = 64 * 1024;

/** The unfinished event of one subscription. */
export interface UnfinishedEvent {
  /**
   * Sets how many bytes of it have come.
   *
   * @returns false where those of all subscriptions are too many together, and this one is not among the short ones.
   */
  set(bytes: number): boolean;
}

/**
 * How many bytes of events whose end has not come may be in memory at a time, over all subscriptions of this process. A limit
 * for each event alone is not enough: hundreds of subscribers may wait for events of one service.
 */
export class UnfinishedEvents {
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Begins a subscription. At its end, 0 bytes have to be set. */
  begin(): UnfinishedEvent {
    let counted = 0;
    return {
      set: (bytes) => {
        const now = bytes > UNCOUNTED_BYTES ? bytes : 0;
        this.#bytes += now - counted;
        counted = now;
        return now === 0 || this.#bytes <= this.#maxBytes;
      },
    };
  }
}
