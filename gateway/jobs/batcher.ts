/** An item that waits to be sent, and what is told of it. */
interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Sends items to the database in batches: what comes while a batch is under way makes up the next one. A single item is
 * sent at once, so that batches cost no wait.
 */
export class Batcher<Item, Result> {
  readonly #send: (items: readonly Item[]) => Promise<readonly Result[]>;
  readonly #maxItems: number;
  readonly #maxBatches: number;
  #waiting: Waiting<Item, Result>[] = [];
  #underWay = 0;
  #isPlanned = false;

  /**
   * @param send returns a result for each item, in their order; where it rejects, all items of the batch are rejected.
   * @param maxBatches batches that are under way at a time.
   */
  constructor(
    send: (items: readonly Item[]) => Promise<readonly Result[]>,
    { maxItems, maxBatches }: { maxItems: number; maxBatches: number },
  ) {
    this.#send = send;
    this.#maxItems = maxItems;
    this.#maxBatches = maxBatches;
  }

  /** Items that wait. */
  get waiting(): number {
    return this.#waiting.length;
  }

  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
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
    while (this.#waiting.length > 0 && this.#underWay < this.#maxBatches) {
      const batch = this.#waiting.splice(0, this.#maxItems);
      this.#underWay++;
      void this.#sendBatch(batch).finally(() => {
        this.#underWay--;
        this.#sendNext();
      });
    }
  }

  async #sendBatch(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.#send(batch.map(({ item }) => item));
      batch.forEach(({ resolve, reject }, index) => {
        if (index < results.length) resolve(results[index] as Result);
        else reject(new TypeError('a batch has fewer results than items'));
      });
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}
