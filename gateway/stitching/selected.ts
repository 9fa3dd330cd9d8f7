import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  type GraphQLSchema,
  isAbstractType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';

/** One field of one object type that a client selects, however often and through however many fragments. */
export interface SelectedField {
  /** Its response key. */
  readonly key: string;
  readonly node: FieldNode;
  /** What is selected of it; undefined for a leaf. */
  readonly selection: ObjectSelection | undefined;
}

/** Whether `@skip` and `@include` leave a selection in this run. */
export type IsIncluded = (selection: SelectionNode) => boolean;

/**
 * The fields that one run of an operation selects, for each object type separately: fragments and conditions are
 * resolved.
 */
export class SelectedOperation {
  readonly schema: GraphQLSchema;
  readonly operation: OperationDefinitionNode;
  readonly root: ObjectSelection;
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly #isIncluded: IsIncluded;
  readonly #ids = new Map<SelectionSetNode, number>();
  readonly #selections = new Map<string, ObjectSelection>();

  constructor(
    schema: GraphQLSchema,
    operation: OperationDefinitionNode,
    fragments: ReadonlyMap<string, FragmentDefinitionNode>,
    isIncluded: IsIncluded,
  ) {
    this.schema = schema;
    this.operation = operation;
    this.#fragments = fragments;
    this.#isIncluded = isIncluded;
    this.root = this.selectionOf([operation.selectionSet]);
  }

  /** The same object for the same sets, so that what is made of it is made once. */
  selectionOf(sets: readonly SelectionSetNode[]): ObjectSelection {
    const id = sets.map((set) => this.#idOf(set)).join(' ');
    const known = this.#selections.get(id);
    if (known) return known;
    const made = new ObjectSelection(this, sets);
    this.#selections.set(id, made);
    return made;
  }

  /** The fields of `sets` for an object type, by response key and in response order (GraphQL section 6.3.2). */
  collect(type: GraphQLObjectType, sets: readonly SelectionSetNode[]): readonly SelectedField[] {
    const found = new Map<string, { node: FieldNode; sets: SelectionSetNode[] }>();
    const spread = new Set<string>();
    const collect = ({ selections }: SelectionSetNode): void => {
      for (const selection of selections) {
        if (!this.#isIncluded(selection)) continue;
        if (selection.kind === Kind.FIELD) {
          const key = (selection.alias ?? selection.name).value;
          const field = found.get(key) ?? { node: selection, sets: [] };
          if (selection.selectionSet) field.sets.push(selection.selectionSet);
          found.set(key, field);
          continue;
        }
        if (selection.kind === Kind.FRAGMENT_SPREAD) {
          if (spread.has(selection.name.value)) continue;
          spread.add(selection.name.value);
        }
        const fragment =
          selection.kind === Kind.FRAGMENT_SPREAD ? this.#fragments.get(selection.name.value) : selection;
        if (fragment && this.#applies(fragment.typeCondition?.name.value, type)) collect(fragment.selectionSet);
      }
    };
    for (const set of sets) collect(set);
    return [...found].map(([key, field]) => ({
      key,
      node: field.node,
      selection: field.sets.length > 0 ? this.selectionOf(field.sets) : undefined,
    }));
  }

  #applies(condition: string | undefined, type: GraphQLObjectType): boolean {
    if (condition === undefined || condition === type.name) return true;
    const found = this.schema.getType(condition);
    return isAbstractType(found) && this.schema.isSubType(found, type);
  }

  #idOf(set: SelectionSetNode): number {
    const known = this.#ids.get(set);
    if (known !== undefined) return known;
    this.#ids.set(set, this.#ids.size);
    return this.#ids.size - 1;
  }
}

/** What is selected of the objects at one place, or at several where the same is. */
export class ObjectSelection {
  readonly #operation: SelectedOperation;
  readonly #sets: readonly SelectionSetNode[];
  readonly #fields = new Map<string, readonly SelectedField[]>();

  constructor(operation: SelectedOperation, sets: readonly SelectionSetNode[]) {
    this.#operation = operation;
    this.#sets = sets;
  }

  /** The fields of objects of a type, `__typename` apart; undefined for a type that the graph does not have. */
  fieldsOf(typeName: string): readonly SelectedField[] | undefined {
    const known = this.#fields.get(typeName);
    if (known) return known;
    const type = this.#operation.schema.getType(typeName);
    if (!isObjectType(type)) return undefined;
    const fields = this.#operation.collect(type, this.#sets).filter(({ node }) => node.name.value !== '__typename');
    this.#fields.set(typeName, fields);
    return fields;
  }
}
