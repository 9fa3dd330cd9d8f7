import { textOfField, type WantedField } from './selections.ts';

/**
 * Tells which fields a service with an interface object can be asked for before the types of its objects are known: it is asked
 * for them of objects of all types.
 */
export class CommonFields {
  readonly #calls = new Map<string, Set<string>>();
  readonly #counts = new Map<string, number>();
  readonly #types: number;
  /** Two of one id are about the same. */
  readonly id: number;

  /**
   * @param id of the selections that are wanted
   * @param wantedOf what is wanted of objects of each type
   */
  constructor(id: number, wantedOf: ReadonlyMap<string, readonly WantedField[]>) {
    this.id = id;
    this.#types = wantedOf.size;
    for (const field of [...wantedOf.values()].flat()) {
      this.#calls.set(field.key, (this.#calls.get(field.key) ?? new Set()).add(field.call));
      const meaning = textOfField(field);
      this.#counts.set(meaning, (this.#counts.get(meaning) ?? 0) + 1);
    }
  }

  /** Whether a field is wanted of objects of all types. */
  isWanted(field: WantedField): boolean {
    return this.#counts.get(textOfField(field)) === this.#types;
  }

  /** Whether the key of a field that the planner needs means nothing else for any type. */
  isFree({ key, call }: WantedField): boolean {
    return [...(this.#calls.get(key) ?? [])].every((one) => one === call);
  }
}
