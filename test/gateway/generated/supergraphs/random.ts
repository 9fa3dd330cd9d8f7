/** Random decisions that depend on a seed only. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = hashOf(`seed ${seed}`) | 1;
  }

  /** A whole number from 0 to `count` - 1. */
  below(count: number): number {
    // Mulberry32.
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % count;
  }

  chance(percent: number): boolean {
    return this.below(100) < percent;
  }

  oneOf<T>(items: readonly T[]): T {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new TypeError('there is nothing to choose from');
    return item;
  }

  shuffled<T>(items: readonly T[]): T[] {
    const left = [...items];
    return items.flatMap(() => left.splice(this.below(left.length), 1));
  }

  /** So many of them, in their order. */
  some<T>(items: readonly T[], count: number): T[] {
    const taken = new Set(this.shuffled(items).slice(0, count));
    return items.filter((item) => taken.has(item));
  }
}

/** A number that looks random, the same for the same text (FNV-1a). */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0;
  return Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 5;
}
