import {
  type FieldNode,
  type GraphQLAbstractType,
  type GraphQLObjectType,
  getNamedType,
  isAbstractType,
  isCompositeType,
  isEnumType,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import type { Fragments } from '../../graphql/syntax/index.ts';
import type { RoleView } from './role-view.ts';

/** Types whose objects are selected alike, and these selections. */
export interface AlikeTypes {
  readonly types: readonly GraphQLObjectType[];
  readonly first: GraphQLObjectType;
  readonly selected: SelectedFields;
}

/** The selected fields of objects, by response key. */
export type SelectedFields = ReadonlyMap<string, SelectedField>;

export interface SelectedField {
  readonly nodes: FieldNode[];
  readonly sets: SelectionSetNode[];
}

/** The selections that an operation makes on objects of each type, in the graph's names. */
export class SelectedObjects {
  readonly #customized: RoleView['customized'];
  readonly #fragments: Fragments;
  readonly #groups = new Map<string, readonly (readonly GraphQLObjectType[])[]>();
  readonly #members = new Map<string, ReadonlySet<string>>();

  constructor({ customized }: RoleView, fragments: Fragments) {
    this.#customized = customized;
    this.#fragments = fragments;
  }

  /** The selected fields of objects of a type, including conditional selections (GraphQL section 6.3.2). */
  fieldsOf(type: GraphQLObjectType, sets: readonly SelectionSetNode[]): SelectedFields {
    const fields = new Map<string, SelectedField>();
    const spread = new Set<string>();
    const collect = ({ selections }: SelectionSetNode): void => {
      for (const selection of selections) {
        if (selection.kind === Kind.FIELD) {
          const key = (selection.alias ?? selection.name).value;
          const field = fields.get(key) ?? { nodes: [], sets: [] };
          fields.set(key, field);
          field.nodes.push(selection);
          if (selection.selectionSet) field.sets.push(selection.selectionSet);
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
    return fields;
  }

  /**
   * Groups the types of an interface or union whose objects are checked in the same way. There may be hundreds of
   * types.
   */
  alikeTypes(type: GraphQLAbstractType, sets: readonly SelectionSetNode[]): readonly AlikeTypes[] {
    const possible = this.#customized.schema.getPossibleTypes(type);
    const conditions = this.#conditionsIn(sets);
    const byConditions = this.#grouped(`${type.name} ${conditions.join()}`, possible, (one) =>
      conditions.filter((condition) => this.#applies(condition, one)).join(),
    );
    return byConditions.flatMap((group) => {
      const [first] = group;
      if (!first) return [];
      const selected = this.fieldsOf(first, sets);
      const names = new Set([...selected.values()].map(({ nodes }) => nodes[0]?.name.value ?? ''));
      // A field's type may be narrower than in the interface. Except for enums, that makes no difference for leaves.
      const compared = [...names].filter((name) => {
        const named = getNamedType(first.getFields()[name]?.type);
        return isCompositeType(named) || isEnumType(named) || name === '__typename';
      });
      const key = `${type.name} ${first.name} ${conditions.join()} ${compared.join()}`;
      const alike = this.#grouped(key, group, (one) =>
        compared.map((name) => String(one.getFields()[name]?.type ?? this.#customized.types.has(one.name))).join(),
      );
      return alike.flatMap((types) => (types[0] ? { types, first: types[0], selected } : []));
    });
  }

  #grouped(
    key: string,
    types: readonly GraphQLObjectType[],
    likenessOf: (type: GraphQLObjectType) => string,
  ): readonly (readonly GraphQLObjectType[])[] {
    const known = this.#groups.get(key);
    if (known) return known;
    const groups = new Map<string, GraphQLObjectType[]>();
    for (const type of types) {
      const likeness = likenessOf(type);
      const group = groups.get(likeness);
      if (group) group.push(type);
      else groups.set(likeness, [type]);
    }
    const made = [...groups.values()];
    this.#groups.set(key, made);
    return made;
  }

  /** The type conditions of fragments, also nested ones, that decide which fields of an object are selected. */
  #conditionsIn(sets: readonly SelectionSetNode[]): readonly string[] {
    const conditions = new Set<string>();
    const spread = new Set<string>();
    const collect = ({ selections }: SelectionSetNode): void => {
      for (const selection of selections) {
        if (selection.kind === Kind.FIELD) continue;
        if (selection.kind === Kind.FRAGMENT_SPREAD) {
          if (spread.has(selection.name.value)) continue;
          spread.add(selection.name.value);
        }
        const fragment =
          selection.kind === Kind.FRAGMENT_SPREAD ? this.#fragments.get(selection.name.value) : selection;
        if (fragment?.typeCondition) conditions.add(fragment.typeCondition.name.value);
        if (fragment) collect(fragment.selectionSet);
      }
    };
    for (const set of sets) collect(set);
    return [...conditions];
  }

  #applies(condition: string | undefined, type: GraphQLObjectType): boolean {
    if (condition === undefined || condition === type.name) return true;
    const known = this.#members.get(condition);
    if (known) return known.has(type.name);
    const { schema } = this.#customized;
    const found = schema.getType(condition);
    const members = new Set(isAbstractType(found) ? schema.getPossibleTypes(found).map(({ name }) => name) : []);
    this.#members.set(condition, members);
    return members.has(type.name);
  }
}
