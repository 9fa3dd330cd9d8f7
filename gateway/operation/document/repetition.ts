import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';

/** The most selections that are visited, and the most levels of nested fields. */
const MAX_VISITED = 100_000;
const MAX_LEVELS = 1_000;

/**
 * How many pairs of fields validation has to compare, because they have the same response key in the same object. The
 * time that this takes grows with the square of the text, and with its cube where inline fragments are nested
 * (graphql-js compares within each selection set anew): two thousand tokens can keep it busy for seconds.
 *
 * @returns infinity when there are too many to be counted.
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
  return pairs;
}

class PairCounter {
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  #visited = 0;

  constructor(fragments: ReadonlyMap<string, FragmentDefinitionNode>) {
    this.#fragments = fragments;
  }

  /** The pairs in one place of the response, which `sets` describe together, and below it. */
  pairsIn(sets: readonly SelectionSetNode[], level: number): number {
    if (level > MAX_LEVELS) return Number.POSITIVE_INFINITY;
    let pairs = 0;
    const places = this.#fieldsOf(sets);
    if (this.#visited > MAX_VISITED) return Number.POSITIVE_INFINITY;
    for (const fields of places.values()) {
      if (fields.length < 2) continue;
      pairs += (fields.length * (fields.length - 1)) / 2;
      const inner = fields.flatMap((field) => field.selectionSet ?? []);
      if (inner.length > 0) pairs += this.pairsIn(inner, level + 1);
    }
    return pairs;
  }

  /** The fields of one place, by their name in the response. */
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
}
