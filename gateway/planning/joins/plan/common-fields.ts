import { textOfField, type WantedField } from './selections.ts';

/**
 * Determines the fields that can be fetched from a service with an interface object before the types of its objects are
 * known. These fields are fetched for objects of all types.
 */
export class CommonFields {
  readonly #calls = new Map<string, Set<string>>();
  readonly #counts = new Map<string, number>();
  readonly #types: number;
  /** Objects with the same id describe the same fields. */
  readonly id: number;

  /**
   * @param id the id of the wanted selections
   * @param wantedOf the wanted fields of objects of each type
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

  /** Whether the key of a field that the planner needs has no other meaning for any type. */
  isFree({ key, call }: WantedField): boolean {
    return [...(this.#calls.get(key) ?? [])].every((one) => one === call);
  }
}
