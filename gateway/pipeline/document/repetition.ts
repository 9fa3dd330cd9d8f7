import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';

/** The maximum number of visited selections and of nested levels of fields. */
const MAX_VISITED = 100_000;
const MAX_LEVELS = 1_000;
/** The maximum number of fragments. Two fragment numbers form one 32-bit number, which sets look up fastest. */
const MAX_FRAGMENTS = 2 ** 15;
/** The number of selections whose visits take as long as comparing a pair of fragments. */
const VISITS_OF_A_PAIR = 2;

/**
 * The number of characters of arguments, and of fields of two fragments, that take as long to compare as two fields
 * without arguments.
 */
const CHARACTERS_OF_A_PAIR = 2;
const FIELDS_OF_A_PAIR = 4;

/**
 * Measures the comparisons in validation, as a number of pairs of fields without arguments. Two kinds of pairs count:
 *
 * - Fields with the same response key in the same object, which count more the longer their arguments are.
 * - Fragments that are spread in the same object, which count more the more fields they have.
 *
 * The validation time grows with the square of the text, and with its cube if inline fragments are nested, because
 * graphql-js compares within each selection set again. Two thousand tokens can keep graphql-js busy for seconds.
 *
 * @returns infinity if there are too many pairs to count.
 */
export function repetition(document: DocumentNode): number {
  const fragments = new Map<string, FragmentDefinitionNode>();
  const pending: SelectionSetNode[] = [];
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
    if ('selectionSet' in definition) pending.push(definition.selectionSet);
  }
  const counter = new PairCounter(fragments);
  let pairs = 0;
  for (let set = pending.pop(); set; set = pending.pop()) {
    pairs += counter.pairsIn([set], 0);
    if (pairs === Number.POSITIVE_INFINITY) return pairs;
    for (const selection of set.selections)
      if ('selectionSet' in selection && selection.selectionSet) pending.push(selection.selectionSet);
  }
  return Math.ceil(pairs);
}

class PairCounter {
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  /** Compared pairs of fragments. Each is one number made of two fragment numbers and is compared once per document. */
  readonly #comparedFragments = new Set<number>();
  readonly #numbers = new Map<string, number>();
  /**
   * The numbers of the fragments that each fragment spreads directly, by its own number. `#fieldCounts` has its direct
   * fields.
   */
  readonly #spreads: (readonly number[])[] = [];
  readonly #fieldCounts: number[] = [];
  #visited = 0;

  constructor(fragments: ReadonlyMap<string, FragmentDefinitionNode>) {
    this.#fragments = fragments;
  }

  /** Counts pairs at one place of the response, which `sets` describe together, and below it. */
  pairsIn(sets: readonly SelectionSetNode[], level: number): number {
    if (level > MAX_LEVELS) return Number.POSITIVE_INFINITY;
    const places = this.#fieldsOf(sets);
    let pairs = this.#fragmentPairsIn(sets);
    if (this.#visited > MAX_VISITED) return Number.POSITIVE_INFINITY;
    for (const fields of places.values()) {
      if (fields.length < 2) continue;
      // Each field is compared with each other field.
      const weights = fields.reduce((sum, field) => sum + weightOf(field), 0);
      pairs += (weights * (fields.length - 1)) / 2;
      const inner = fields.flatMap((field) => field.selectionSet ?? []);
      if (inner.length > 0) pairs += this.pairsIn(inner, level + 1);
    }
    return pairs;
  }

  /** The fields of one place, by response key. */
  #fieldsOf(sets: readonly SelectionSetNode[]): ReadonlyMap<string, readonly FieldNode[]> {
    const fields = new Map<string, FieldNode[]>();
    const spread = new Set<string>();
    const pending: SelectionNode[] = sets.flatMap((set) => set.selections);
    for (let selection = pending.pop(); selection; selection = pending.pop()) {
      this.#visited += 1;
      if (this.#visited > MAX_VISITED) return fields;
      if (selection.kind === Kind.FIELD) {
        const name = (selection.alias ?? selection.name).value;
        const same = fields.get(name);
        if (same) same.push(selection);
        else fields.set(name, [selection]);
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        pending.push(...selection.selectionSet.selections);
      } else if (!spread.has(selection.name.value)) {
        spread.add(selection.name.value);
        pending.push(...(this.#fragments.get(selection.name.value)?.selectionSet.selections ?? []));
      }
    }
    return fields;
  }
  /** The weight of fragment pairs that are not compared yet, including fragments that they spread at the same place. */
  #fragmentPairsIn(sets: readonly SelectionSetNode[]): number {
    const compared = this.#comparedFragments;
    let weight = 0;
    const spread = [...placeOf(sets).spreads].map((name) => this.#numberOf(name));
    if (this.#numbers.size > MAX_FRAGMENTS) return Number.POSITIVE_INFINITY;
    const pending: number[] = [];
    for (const [index, one] of spread.entries()) {
      for (let other = index + 1; other < spread.length; other++) pending.push(one, spread[other] as number);
      while (pending.length > 0) {
        const right = pending.pop() as number;
        const left = pending.pop() as number;
        const key = Math.min(left, right) * MAX_FRAGMENTS + Math.max(left, right);
        if (left === right || compared.has(key)) continue;
        this.#visited += VISITS_OF_A_PAIR;
        if (this.#visited > MAX_VISITED) return Number.POSITIVE_INFINITY;
        compared.add(key);
        const fields = (this.#fieldCounts[left] as number) + (this.#fieldCounts[right] as number);
        weight += Math.max(1, fields / FIELDS_OF_A_PAIR);
        for (const inner of this.#spreads[right] as readonly number[]) pending.push(left, inner);
        for (const inner of this.#spreads[left] as readonly number[]) pending.push(inner, right);
      }
    }
    return weight;
  }

  /** @returns the number of a fragment. Fragments that it spreads are numbered too. */
  #numberOf(name: string): number {
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    const names = [name];
    this.#numbers.set(name, this.#numbers.size);
    for (const current of names) {
      const fragment = this.#fragments.get(current);
      const { spreads, fields } = placeOf(fragment ? [fragment.selectionSet] : []);
      for (const other of spreads)
        if (!this.#numbers.has(other)) {
          this.#numbers.set(other, this.#numbers.size);
          // The loop visits the added name later.
          names.push(other);
        }
      const number = this.#numbers.get(current) as number;
      this.#spreads[number] = [...spreads].map((other) => this.#numbers.get(other) as number);
      this.#fieldCounts[number] = fields;
    }
    return this.#numbers.get(name) as number;
  }
}

/** The fragments that a place spreads directly and the number of its direct fields. */
function placeOf(sets: readonly SelectionSetNode[]): {
  readonly spreads: ReadonlySet<string>;
  readonly fields: number;
} {
  const spreads = new Set<string>();
  let fields = 0;
  const pending = [...sets];
  for (let set = pending.pop(); set; set = pending.pop())
    for (const selection of set.selections)
      if (selection.kind === Kind.FRAGMENT_SPREAD) spreads.add(selection.name.value);
      else if (selection.kind === Kind.INLINE_FRAGMENT) pending.push(selection.selectionSet);
      else fields += 1;
  return { spreads, fields };
}

/** Weighs a field by its arguments, since validation prints the arguments of both fields to compare them. */
function weightOf({ arguments: given = [] }: FieldNode): number {
  const start = given[0]?.loc?.start ?? 0;
  const end = given.at(-1)?.loc?.end ?? 0;
  return 1 + (end - start) / CHARACTERS_OF_A_PAIR;
}
