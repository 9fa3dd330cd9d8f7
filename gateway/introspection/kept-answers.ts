import { SecondChanceCache } from '../../platform/index.ts';

/** The most results, and the most bytes, that are cached for all roles together. */
const MAX_ANSWERS = 500;
const MAX_KEPT_BYTES = 128 * 1024 * 1024;

/** A bounded cache of introspection results. */
export class KeptAnswers {
  readonly #answers = new SecondChanceCache<readonly Buffer[]>({ entries: MAX_ANSWERS, weights: [MAX_KEPT_BYTES] });

  get size(): number {
    return this.#answers.size;
  }

  get(key: string): readonly Buffer[] | undefined {
    return this.#answers.get(key);
  }

  /** Caches a result, unless it is larger than half of the bound. */
  keep(key: string, answer: readonly Buffer[]): void {
    const bytes = answer.reduce((sum, { length }) => sum + length, 2 * key.length);
    this.#answers.keep(key, answer, [bytes]);
  }
}
