import {
  type DocumentNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';

/**
 * The positions of type names in a response, by response key. `true` marks a type name; a map holds the positions below
 * the key. Keys without type names are left out.
 */
export type TypeNamePlaces = ReadonlyMap<string, true | TypeNamePlaces>;

/**
 * Finds the positions of type names in the responses to an operation.
 *
 * @returns undefined if a response key is a type name in objects of one type and a text in objects of another.
 */
export function typeNamePlaces(document: DocumentNode): TypeNamePlaces | undefined {
  const fragments = new Map<string, FragmentDefinitionNode>();
  let operation: OperationDefinitionNode | undefined;
  for (const definition of document.definitions)
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
    else if (definition.kind === Kind.OPERATION_DEFINITION) operation ??= definition;
  if (!operation) return undefined;
  try {
    return new PlacesFinder(fragments).placesIn(new Set([operation.selectionSet]));
  } catch (error) {
    if (error instanceof AmbiguousKey) return undefined;
    throw error;
  }
}

class AmbiguousKey extends Error {}

/** Finds positions. Each combination of merged selection sets is visited once, however often fragments lead to it. */
class PlacesFinder {
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly #numbers = new Map<SelectionSetNode, number>();
  readonly #known = new Map<string, TypeNamePlaces>();

  constructor(fragments: ReadonlyMap<string, FragmentDefinitionNode>) {
    this.#fragments = fragments;
  }

  placesIn(sets: ReadonlySet<SelectionSetNode>): TypeNamePlaces {
    const key = [...sets].map((set) => this.#numberOf(set)).join();
    const known = this.#known.get(key);
    if (known) return known;
    const places = new Map<string, true | TypeNamePlaces>();
    this.#known.set(key, places);
    for (const [responseKey, found] of this.#fieldsOf(sets)) {
      if (found.isTypeName && found.isOther) throw new AmbiguousKey();
      const below = found.isTypeName || this.placesIn(found.below);
      if (below === true || below.size > 0) places.set(responseKey, below);
    }
    return places;
  }

  #fieldsOf(sets: ReadonlySet<SelectionSetNode>) {
    const fields = new Map<string, { isTypeName: boolean; isOther: boolean; below: Set<SelectionSetNode> }>();
    const pending = [...sets];
    const seen = new Set<SelectionSetNode>(sets);
    const follow = (set: SelectionSetNode | undefined) => {
      if (!set || seen.has(set)) return;
      seen.add(set);
      pending.push(set);
    };
    for (let set = pending.pop(); set; set = pending.pop())
      for (const selection of set.selections) {
        if (selection.kind === Kind.INLINE_FRAGMENT) follow(selection.selectionSet);
        else if (selection.kind === Kind.FRAGMENT_SPREAD)
          follow(this.#fragments.get(selection.name.value)?.selectionSet);
        else {
          const key = (selection.alias ?? selection.name).value;
          const field = fields.get(key) ?? { isTypeName: false, isOther: false, below: new Set<SelectionSetNode>() };
          fields.set(key, field);
          if (selection.name.value === '__typename') field.isTypeName = true;
          else field.isOther = true;
          if (selection.selectionSet) field.below.add(selection.selectionSet);
        }
      }
    return fields;
  }

  #numberOf(set: SelectionSetNode): number {
    const number = this.#numbers.get(set) ?? this.#numbers.size;
    this.#numbers.set(set, number);
    return number;
  }
}
