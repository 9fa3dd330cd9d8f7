/** An item that waits to be sent, and the promise of its result. */
interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** The size by which a batch is limited. */
interface Sized {
  /** The size of the item's text as it is sent. */
  readonly bytes: number;
}

export interface BatcherOptions {
  /** The most items of a batch. */
  readonly maxItems: number;
  /** The most bytes of a batch. A larger item is sent alone. */
  readonly maxBytes: number;
  /** How many batches may be under way at a time. */
  readonly maxBatches: number;
  /**
   * Returns whether a single item may have caused the error. If so, each item of the batch is sent alone. The failed batch must
   * have had no effect.
   */
  readonly isOfItem: (error: unknown) => boolean;
}

/**
 * Sends items to the database in batches. Items that arrive while a batch is under way make up the next one. A single item is
 * sent immediately, so batching adds no delay.
 */
export class Batcher<Item extends Sized, Result> {
  readonly #send: (items: readonly Item[]) => Promise<readonly Result[]>;
  readonly #options: BatcherOptions;
  #waiting: Waiting<Item, Result>[] = [];
  #waitingBytes = 0;
  #underWay = 0;
  #isPlanned = false;

  /**
   * @param send returns a result for each item, in their order. If `send` rejects with an error that `isOfItem` does not
   * accept, all items of the batch are rejected.
   */
  constructor(send: (items: readonly Item[]) => Promise<readonly Result[]>, options: BatcherOptions) {
    this.#send = send;
    this.#options = options;
  }

  /** The number of waiting items. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** The bytes of the waiting items. */
  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      this.#waitingBytes += item.bytes;
      if (this.#isPlanned) return;
      this.#isPlanned = true;
      // Items that arrive in the same turn of the event loop share a batch.
      setImmediate(() => {
        this.#isPlanned = false;
        this.#sendNext();
      });
    });
  }

  #sendNext(): void {
    while (this.#waiting.length > 0 && this.#underWay < this.#options.maxBatches) {
      const batch = this.#take();
      this.#underWay++;
      void this.#sendBatch(batch).finally(() => {
        this.#underWay--;
        this.#sendNext();
      });
    }
  }

  #take(): readonly Waiting<Item, Result>[] {
    const { maxItems, maxBytes } = this.#options;
    let count = 0;
    let bytes = 0;
    for (const { item } of this.#waiting) {
      if (count === maxItems || (count > 0 && bytes + item.bytes > maxBytes)) break;
      count++;
      bytes += item.bytes;
    }
    this.#waitingBytes -= bytes;
    return this.#waiting.splice(0, count);
  }

  async #sendBatch(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.#send(batch.map(({ item }) => item));
      batch.forEach(({ resolve, reject }, index) => {
        if (index < results.length) resolve(results[index] as Result);
        else reject(new TypeError('a batch has fewer results than items'));
      });
    } catch (error) {
      if (batch.length > 1 && this.#options.isOfItem(error)) await this.#sendEach(batch);
      else for (const { reject } of batch) reject(error);
    }
  }

  /**
   * Sends the items one after another, in their order. If the database becomes unavailable, the remaining items are rejected
   * without a query.
   */
  async #sendEach(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    let unavailable: { readonly error: unknown } | undefined;
    for (const { item, resolve, reject } of batch) {
      if (unavailable) {
        reject(unavailable.error);
        continue;
      }
      try {
        const [result] = await this.#send([item]);
        resolve(result as Result);
      } catch (error) {
        reject(error);
        if (!this.#options.isOfItem(error)) unavailable = { error };
      }
    }
  }
}
