/** An item that waits to be sent, and the promise of its result. */
interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** What a batch is measured by. */
interface Sized {
  /** The size of the item's text, as it is sent. */
  readonly bytes: number;
}

export interface BatcherOptions {
  /** Items of a batch at most. */
  readonly maxItems: number;
  /** Bytes of a batch at most; an item that is larger goes alone. */
  readonly maxBytes: number;
  /** Batches that are under way at a time. */
  readonly maxBatches: number;
  /** Whether an error may be that of one item: then each item of the batch is sent alone. The batch must have had no effect. */
  readonly isOfItem: (error: unknown) => boolean;
}

/**
 * Sends items to the database in batches: what comes while a batch is under way makes up the next one. A single item is
 * sent at once, so that batches cost no wait.
 */
export class Batcher<Item extends Sized, Result> {
  readonly #send: (items: readonly Item[]) => Promise<readonly Result[]>;
  readonly #options: BatcherOptions;
  #waiting: Waiting<Item, Result>[] = [];
  #waitingBytes = 0;
  #underWay = 0;
  #isPlanned = false;

  /**
   * @param send returns a result for each item, in their order; where it rejects with an error that is not of an item, all
   * items of the batch are rejected.
   */
  constructor(send: (items: readonly Item[]) => Promise<readonly Result[]>, options: BatcherOptions) {
    this.#send = send;
    this.#options = options;
  }

  /** Items that wait. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Their bytes. */
  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      this.#waitingBytes += item.bytes;
      if (this.#isPlanned) return;
      this.#isPlanned = true;
      // What comes in the same turn of the event loop goes together.
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

  /** One after another, in their order. A database that is away meanwhile is not asked for each of them. */
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
