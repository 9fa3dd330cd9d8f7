import type { SchemaChange } from '../generation/index.ts';

/** Changes of one schema that are kept; of more the number is. */
const MAX_KEPT_CHANGES = 200;

/** The last change of the schema of a remote schema since the gateway opened it. */
export interface LastSchemaChange {
  /** When it was taken in, in milliseconds since the epoch. */
  readonly at: number;
  /** The first ones, the breaking ones before the others. */
  readonly changes: readonly SchemaChange[];
  readonly total: number;
  readonly breaking: number;
}

/** The last change of each remote schema. */
export class SchemaHistory {
  readonly #last = new Map<string, LastSchemaChange>();

  get last(): ReadonlyMap<string, LastSchemaChange> {
    return this.#last;
  }

  add(source: string, changes: readonly SchemaChange[], at: number): void {
    if (changes.length === 0) return;
    this.#last.set(source, {
      at,
      changes: changes.slice(0, MAX_KEPT_CHANGES),
      total: changes.length,
      breaking: changes.filter(({ breaking }) => breaking).length,
    });
  }

  /** Takes over the history of a remote schema from a previous one. */
  reuse(source: string, previous: SchemaHistory): void {
    const last = previous.#last.get(source);
    if (last) this.#last.set(source, last);
  }
}
