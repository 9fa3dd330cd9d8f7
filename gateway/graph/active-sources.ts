import type { Source } from '../sources/index.ts';

/**
 * The sources that new operations run on. Generations share sources, so only sources whose own state has changed are
 * notified.
 */
export class ActiveSources {
  #sources: ReadonlySet<Source> = new Set();

  /** Notifies the sources that are activated and those that are replaced. */
  become(sources: readonly Source[]): void {
    const before = this.#sources;
    this.#sources = new Set(sources);
    for (const source of this.#sources) if (!before.has(source)) source.setActive?.(true);
    for (const source of before) if (!this.#sources.has(source)) source.setActive?.(false);
  }

  /** Releases the resources of sources that were opened and will not be activated. */
  dismiss(sources: readonly Source[]): void {
    for (const source of sources) if (!this.#sources.has(source)) source.setActive?.(false);
  }
}
