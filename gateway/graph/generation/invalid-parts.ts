import type { Subschema } from '../../sources/index.ts';

/** As of `MAX_ROLES`: what is forgotten is found again. */
const MAX_INVALID_PARTS = 1_000;

/** Parts of sources that are known to form no valid schema together, so that they are not joined again. */
export class InvalidParts {
  readonly #known: { readonly parts: readonly Subschema[]; readonly reason: string }[] = [];

  get isEmpty(): boolean {
    return this.#known.length === 0;
  }

  /** @returns whether it was not known. */
  add(parts: readonly Subschema[], reason: string): boolean {
    if (this.reasonAgainst(parts) !== undefined) return false;
    if (this.#known.length >= MAX_INVALID_PARTS) this.#known.shift();
    this.#known.push({ parts, reason });
    return true;
  }

  /** @returns undefined when they are not known to be invalid. */
  reasonAgainst(parts: readonly Subschema[]): string | undefined {
    return this.#known.find((one) => areSameSubschemas(one.parts, parts))?.reason;
  }
}

export function areSameSubschemas(one: readonly Subschema[], other: readonly Subschema[]): boolean {
  return one.length === other.length && one.every((part, index) => part === other[index]);
}
