import type { PersistedManifest } from '../../metadata/index.ts';

/** The documents of one generation's manifests, by every id that clients may use. */
export class PersistedDocuments {
  readonly #texts = new Map<string, string>();

  constructor(manifests: readonly PersistedManifest[]) {
    for (const { documents } of manifests)
      for (const { id, sha256, text } of documents) this.#texts.set(id, text).set(sha256, text);
  }

  get isEmpty(): boolean {
    return this.#texts.size === 0;
  }

  /** The text of a document. Undefined if no manifest has the id. */
  get(id: string): string | undefined {
    return this.#texts.get(id);
  }
}
