/**
 * The number of bytes of an event that are not counted. The number of subscriptions limits the memory of short events.
 */
const UNCOUNTED_EVENT_BYTES = 64 * 1024;

/** The unfinished event of one subscription. */
export interface UnfinishedEvent {
  /**
   * Sets the number of received bytes of the event.
   *
   * @returns false if the event must be dropped. This happens to a counted event if all events together exceed the
   *   limit and its service uses more than its share, or if they exceed twice the limit.
   */
  set(bytes: number): boolean;
}

/**
 * Limits the bytes of unfinished events in memory, over all subscriptions of this process. A limit for each event is
 * not enough: hundreds of subscribers may wait for events of one service.
 *
 * If the limit is exceeded, services with more than an equal share lose their events, so that one service cannot
 * displace the others. Shares shrink when another service starts to send, but memory already in use is kept. Beyond
 * twice the limit, each event that grows is dropped.
 */
export class UnfinishedEvents {
  readonly #maxBytes: number;
  #bytes = 0;
  /** The bytes of each service that has unfinished events. */
  readonly #bytesOf = new Map<string, number>();

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Begins a subscription to a service. When it ends, its bytes have to be set to 0. */
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
