import { type DocumentNode, Kind, parse, type SelectionNode } from 'graphql';
import { fragmentsOf } from '../../../syntax/index.ts';

/** A field as the planner fetches it. */
export interface PlannedField {
  /** The innermost type. */
  readonly type: string;
  /** The subgraphs that what is below it may come from. */
  readonly graphs: readonly string[];
  /** The subgraphs that resolve it. */
  readonly resolvers: readonly string[];
  /** What subgraphs require for it, as selections of its parent type. */
  readonly requirements: readonly { readonly graph: string; readonly required: readonly SelectionNode[] }[];
  /** The subgraphs that objects may not come from; true for all. Undefined where the planner cannot go wrong. */
  readonly fatalFrom: ReadonlySet<string> | true | undefined;
}

/** Fields by the names of their types, of the types from which selections lead to a field that may be fatal. */
export type PlannedTypes = ReadonlyMap<string, ReadonlyMap<string, PlannedField>>;

/** Looks for the operations at which the planner would end the process. */
export class FatalOperations {
  readonly #types: PlannedTypes;
  readonly #implementations: ReadonlyMap<string, readonly string[]>;
  readonly #roots: ReadonlyMap<string, string>;

  /**
   * @param implementations the types that implement an interface, by its name: the planner may plan each of them.
   * @param roots the names of the root types by operation.
   */
  constructor(
    types: PlannedTypes,
    implementations: ReadonlyMap<string, readonly string[]>,
    roots: ReadonlyMap<string, string>,
  ) {
    this.#types = types;
    this.#implementations = implementations;
    this.#roots = roots;
  }

  includes(document: string): boolean {
    const parsed = parse(document, { noLocation: true });
    const search = new Search(this.#types, this.#implementations, parsed);
    return parsed.definitions.some(
      (definition) =>
        definition.kind === Kind.OPERATION_DEFINITION &&
        search.fails(this.#roots.get(definition.operation) ?? '', definition.selectionSet.selections, []),
    );
  }
}

/** Visits each list of selections once for each type and origin of the objects: a short document may have it a million times. */
class Search {
  readonly #types: PlannedTypes;
  readonly #implementations: ReadonlyMap<string, readonly string[]>;
  readonly #fragments: ReturnType<typeof fragmentsOf>;
  readonly #visited = new Map<readonly SelectionNode[], Set<string>>();

  constructor(types: PlannedTypes, implementations: ReadonlyMap<string, readonly string[]>, document: DocumentNode) {
    this.#types = types;
    this.#implementations = implementations;
    this.#fragments = fragmentsOf(document);
  }

  /** @param sources the subgraphs that the objects come from. */
  fails(typename: string, selections: readonly SelectionNode[], sources: readonly string[]): boolean {
    const visited = this.#visited.get(selections) ?? new Set();
    this.#visited.set(selections, visited);
    const visit = [typename, ...sources].join(' ');
    if (visited.has(visit)) return false;
    visited.add(visit);
    return selections.some((selection) => {
      if (selection.kind === Kind.FIELD)
        return this.#failsAt(typename, selection.name.value, selection.selectionSet?.selections, sources);
      const fragment = selection.kind === Kind.INLINE_FRAGMENT ? selection : this.#fragments.get(selection.name.value);
      if (!fragment) return false;
      return this.fails(fragment.typeCondition?.name.value ?? typename, fragment.selectionSet.selections, sources);
    });
  }

  /**
   * Where the planner may come from to a required field: from the objects, from the subgraph that requires it, or from another
   * field that is required with it.
   */
  #origins(
    type: string,
    { graph, required }: PlannedField['requirements'][number],
    sources: readonly string[],
  ): readonly string[] {
    if (required.length < 2) return [...new Set([...sources, graph])];
    const others = required.flatMap((one) =>
      one.kind === Kind.FIELD ? (this.#types.get(type)?.get(one.name.value)?.resolvers ?? []) : [],
    );
    return [...new Set([...sources, graph, ...others])];
  }

  #failsAt(
    typename: string,
    name: string,
    below: readonly SelectionNode[] | undefined,
    sources: readonly string[],
  ): boolean {
    return [typename, ...(this.#implementations.get(typename) ?? [])].some((type) => {
      const field = this.#types.get(type)?.get(name);
      if (!field) return false;
      const { fatalFrom, graphs, requirements } = field;
      if (fatalFrom === true || sources.some((source) => fatalFrom?.has(source))) return true;
      if (below && this.fails(field.type, below, graphs)) return true;
      return requirements.some((one) => this.fails(type, one.required, this.#origins(type, one, sources)));
    });
  }
}
