import type { Document } from './documents.ts';

/**
 * Something that another room works out about a document and keeps with it, for as long as the document is kept.
 * The document does not know what it is.
 */
export class DocumentFact<T> {
  readonly #initial: () => T;

  /** @param initial makes the value at the first access to a document's. */
  constructor(initial: () => T) {
    this.#initial = initial;
  }

  of({ facts }: Pick<Document, 'facts'>): T {
    // Only this object writes under itself as the key.
    const known = facts.get(this) as T | undefined;
    if (known !== undefined) return known;
    const value = this.#initial();
    facts.set(this, value);
    return value;
  }
}
