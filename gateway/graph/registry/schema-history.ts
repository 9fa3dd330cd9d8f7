import type { SourceChanges } from './source-changes.ts';

/** The last change of a remote schema's schema since the gateway opened it. */
export interface LastSchemaChange extends SourceChanges {
  /** The time when the change was applied, in milliseconds since the epoch. */
  readonly at: number;
}

/** The last change of each remote schema. */
export class SchemaHistory {
  readonly #last = new Map<string, LastSchemaChange>();

  get last(): ReadonlyMap<string, LastSchemaChange> {
    return this.#last;
  }

  add(source: string, changes: SourceChanges, at: number): void {
    if (changes.total > 0) this.#last.set(source, { at, ...changes });
  }

  /** Takes over the last change of a remote schema from a previous history. */
  reuse(source: string, previous: SchemaHistory): void {
    const last = previous.#last.get(source);
    if (last) this.#last.set(source, last);
  }
}
