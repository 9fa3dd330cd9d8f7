import type { Source } from '../sources/index.ts';

/** The sources that new operations run on. Generations share them, so that each is told of a change of its own only. */
export class SourcesInForce {
  #sources: ReadonlySet<Source> = new Set();

  /** Tells those that come in, and those that go. */
  become(sources: readonly Source[]): void {
    const before = this.#sources;
    this.#sources = new Set(sources);
    for (const source of this.#sources) if (!before.has(source)) source.setInForce?.(true);
    for (const source of before) if (!this.#sources.has(source)) source.setInForce?.(false);
  }

  /** Has those give up what they hold that were opened, and will not come in. */
  dismiss(sources: readonly Source[]): void {
    for (const source of sources) if (!this.#sources.has(source)) source.setInForce?.(false);
  }
}
