/** The limits of a cache. */
export interface CacheBounds {
  readonly entries: number;
  /** The limits of the entries' weights, such as characters, in the same order. */
  readonly weights: readonly number[];
}

const NO_WEIGHTS: readonly number[] = [];

interface Entry<Value> {
  readonly value: Value;
  readonly weights: readonly number[];
  isInUse: boolean;
}

/**
 * A cache of limited size with text keys. The oldest entry is evicted first. If it was read since it was stored, it is kept for
 * another round.
 *
 * Moving each entry that is read to the end would be more precise, but expensive. A map that changes leaves a table behind
 * every few changes, and each table refers to the next. Once the first one is in the old generation, the garbage collector
 * keeps all of them alive until it collects that generation.
 *
 * lru-cache 11 would be as fast: 377 ns of processor time to find one of 2,000 documents by its text (352 ns here), and 470 ns
 * to add one to a full cache (1,540 ns here). But it limits only one size, and documents have two at the same time, characters
 * and tokens. All caches with such limits use this class: documents, verified tokens, plans, introspection results.
 */
export class SecondChanceCache<Value> {
  readonly #bounds: CacheBounds;
  readonly #entries = new Map<string, Entry<Value>>();
  readonly #held: number[];
  readonly #onForget: ((value: Value) => void) | undefined;

  /** @param onForget called with each entry that is evicted. */
  constructor(bounds: CacheBounds, onForget?: (value: Value) => void) {
    this.#bounds = bounds;
    this.#held = bounds.weights.map(() => 0);
    this.#onForget = onForget;
  }

  /** The number of entries. */
  get size(): number {
    return this.#entries.size;
  }

  get(text: string): Value | undefined {
    const entry = this.#entries.get(text);
    if (!entry) return undefined;
    entry.isInUse = true;
    return entry.value;
  }

  delete(text: string): void {
    const entry = this.#entries.get(text);
    if (entry && this.#entries.delete(text)) this.#weigh(entry.weights, -1);
  }

  /**
   * Stores a new value.
   *
   * @returns false if the value is not stored. A value that would take half of the cache is not worth the entries that it would
   * evict.
   */
  keep(text: string, value: Value, weights: readonly number[] = NO_WEIGHTS): boolean {
    if (this.#entries.has(text)) return false;
    if (weights.some((weight, index) => weight > (this.#bounds.weights[index] ?? 0) / 2)) return false;
    this.#makeRoom(weights);
    this.#entries.set(text, { value, weights, isInUse: false });
    this.#weigh(weights, 1);
    return true;
  }

  #makeRoom(weights: readonly number[]): void {
    for (const [text, entry] of this.#entries) {
      if (this.#hasRoom(weights)) return;
      this.#entries.delete(text);
      if (entry.isInUse) {
        entry.isInUse = false;
        this.#entries.set(text, entry);
      } else {
        this.#weigh(entry.weights, -1);
        this.#onForget?.(entry.value);
      }
    }
  }

  #hasRoom(weights: readonly number[]): boolean {
    const { entries, weights: most } = this.#bounds;
    if (this.#entries.size >= entries) return false;
    return weights.every((weight, index) => (this.#held[index] ?? 0) + weight <= (most[index] ?? 0));
  }

  #weigh(weights: readonly number[], sign: 1 | -1): void {
    for (const [index, weight] of weights.entries()) this.#held[index] = (this.#held[index] ?? 0) + sign * weight;
  }
}
