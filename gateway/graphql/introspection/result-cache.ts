import { SecondChanceCache } from '../../../platform/index.ts';

/** The most results, and the most bytes, that are cached for all roles together. */
const MAX_RESULTS = 500;
const MAX_CACHED_BYTES = 128 * 1024 * 1024;

/** A bounded cache of introspection results. */
export class ResultCache {
  readonly #results = new SecondChanceCache<readonly Buffer[]>({ entries: MAX_RESULTS, weights: [MAX_CACHED_BYTES] });

  get size(): number {
    return this.#results.size;
  }

  get(key: string): readonly Buffer[] | undefined {
    return this.#results.get(key);
  }

  /** Caches a result, unless it is larger than half of the bound. */
  keep(key: string, result: readonly Buffer[]): void {
    const bytes = result.reduce((sum, { length }) => sum + length, 2 * key.length);
    this.#results.keep(key, result, [bytes]);
  }
}
