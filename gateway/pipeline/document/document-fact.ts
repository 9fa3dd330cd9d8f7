import type { Document } from './documents.ts';

/**
 * A value that another module computes for a document and stores with it, as long as the document is cached. The
 * document does not know the value's type.
 */
export class DocumentFact<T> {
  readonly #initial: () => T;

  /** @param initial creates the value at the first access for a document. */
  constructor(initial: () => T) {
    this.#initial = initial;
  }

  of({ facts }: Pick<Document, 'facts'>): T {
    // Only this object writes values under its own key.
    const known = facts.get(this) as T | undefined;
    if (known !== undefined) return known;
    const value = this.#initial();
    facts.set(this, value);
    return value;
  }
}
