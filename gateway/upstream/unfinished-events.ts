/** Bytes of an event that are not counted: the memory of short events is bounded by the number of subscriptions. */
const UNCOUNTED_EVENT_BYTES = 64 * 1024;

/** The unfinished event of one subscription. */
export interface UnfinishedEvent {
  /**
   * Sets how many bytes of it have come.
   *
   * @returns false where those of all subscriptions are too many together, its service has more than its share of them or they
   * are twice too many, and this one is not among the short ones.
   */
  set(bytes: number): boolean;
}

/**
 * How many bytes of events whose end has not come may be in memory at a time, over all subscriptions of this process. A limit
 * for each event alone is not enough: hundreds of subscribers may wait for events of one service. Where they are too many, services
 * with more than an equal share lose theirs, so that one service takes none from the others. Shares shrink with each service that
 * begins, and those that were taken before are kept: from twice as many bytes on, each event that grows is lost.
 */
export class UnfinishedEvents {
  readonly #maxBytes: number;
  #bytes = 0;
  /** Of services that have some. */
  readonly #bytesOf = new Map<string, number>();

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Begins a subscription to a service. At its end, 0 bytes have to be set. */
  begin(service: string): UnfinishedEvent {
    let counted = 0;
    return {
      set: (bytes) => {
        const now = bytes > UNCOUNTED_EVENT_BYTES ? bytes : 0;
        this.#add(service, now - counted);
        counted = now;
        if (now === 0 || this.#bytes <= this.#maxBytes) return true;
        return this.#bytes <= 2 * this.#maxBytes && this.#isWithinShare(service);
      },
    };
  }

  #add(service: string, bytes: number): void {
    if (bytes === 0) return;
    this.#bytes += bytes;
    const ofService = (this.#bytesOf.get(service) ?? 0) + bytes;
    if (ofService === 0) this.#bytesOf.delete(service);
    else this.#bytesOf.set(service, ofService);
  }

  #isWithinShare(service: string): boolean {
    return (this.#bytesOf.get(service) ?? 0) <= this.#maxBytes / this.#bytesOf.size;
  }
}
