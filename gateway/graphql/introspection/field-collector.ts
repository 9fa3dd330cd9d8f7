import {
  type FieldNode,
  type GraphQLField,
  GraphQLIncludeDirective,
  type GraphQLObjectType,
  type GraphQLSchema,
  GraphQLSkipDirective,
  getArgumentValues,
  getDirectiveValues,
  isAbstractType,
  Kind,
  SchemaMetaFieldDef,
  type SelectionNode,
  type SelectionSetNode,
  TypeMetaFieldDef,
} from 'graphql';
import type { IntrospectionOperation } from './introspection-operation.ts';
import type { ResultBudget } from './result-budget.ts';

/** A field of a selection, with the data that does not depend on the object. */
export interface IntrospectedField {
  /** `"name":` */
  readonly key: string;
  /** Undefined for `__typename`. */
  readonly field: GraphQLField<unknown, unknown> | undefined;
  readonly args: Readonly<Record<string, unknown>>;
  readonly inner: MergedSelection;
}

/** The merged selections of one or more fields at the same place, collected at the first use. */
export interface MergedSelection {
  readonly sets: readonly SelectionSetNode[];
  fields: readonly IntrospectedField[] | undefined;
  /** Texts written so far, by type. Wrapping types use their text as the key, since many of them are equal. */
  readonly written: Map<unknown, string>;
}

/** Collects the fields that an introspection selects (GraphQL section 6.3.2), once for each place of its document. */
export class FieldCollector {
  readonly #schema: GraphQLSchema;
  readonly #fragments: IntrospectionOperation['fragments'];
  readonly #variables: { readonly [name: string]: unknown };
  readonly #budget: ResultBudget;
  readonly #numbers = new Map<SelectionSetNode, number>();
  readonly #selections = new Map<string, MergedSelection>();

  /** @param variables coerced values. */
  constructor(
    schema: GraphQLSchema,
    fragments: IntrospectionOperation['fragments'],
    variables: { readonly [name: string]: unknown },
    budget: ResultBudget,
  ) {
    this.#schema = schema;
    this.#fragments = fragments;
    this.#variables = variables;
    this.#budget = budget;
  }

  /** Returns one selection for equal sets, wherever they occur. */
  selectionOf(sets: readonly SelectionSetNode[]): MergedSelection {
    const different = [...new Set(sets)];
    const key = different.map((set) => this.#numberOf(set)).join(' ');
    const known = this.#selections.get(key);
    if (known) return known;
    const made: MergedSelection = { sets: different, fields: undefined, written: new Map() };
    this.#selections.set(key, made);
    return made;
  }

  /** The selected fields of a type's objects, in response order. */
  fieldsOf(selection: MergedSelection, type: GraphQLObjectType): readonly IntrospectedField[] {
    // All objects at one place of an introspection have the same type.
    selection.fields ??= [...this.#collect(selection.sets, type)].map(([name, nodes]) =>
      this.#selected(name, nodes, type),
    );
    return selection.fields;
  }

  #selected(name: string, nodes: readonly FieldNode[], type: GraphQLObjectType): IntrospectedField {
    const [node] = nodes;
    const field = node && this.#fieldOf(type, node.name.value);
    return {
      key: `${JSON.stringify(name)}:`,
      field,
      args: field && node ? getArgumentValues(field, node, this.#variables) : {},
      inner: this.selectionOf(nodes.flatMap(({ selectionSet }) => selectionSet ?? [])),
    };
  }

  #fieldOf(type: GraphQLObjectType, name: string): GraphQLField<unknown, unknown> | undefined {
    if (name === '__typename') return undefined;
    if (name === SchemaMetaFieldDef.name) return SchemaMetaFieldDef;
    if (name === TypeMetaFieldDef.name) return TypeMetaFieldDef;
    const field = type.getFields()[name];
    if (!field) throw new Error('not a field of introspection');
    return field;
  }

  #collect(sets: readonly SelectionSetNode[], type: GraphQLObjectType): ReadonlyMap<string, readonly FieldNode[]> {
    const fields = new Map<string, FieldNode[]>();
    const spread = new Set<string>();
    const collect = ({ selections }: SelectionSetNode): void => {
      for (const selection of selections) {
        this.#budget.spend(1);
        if (!this.#isIncluded(selection)) continue;
        if (selection.kind === Kind.FIELD) {
          const name = (selection.alias ?? selection.name).value;
          const same = fields.get(name);
          if (same) same.push(selection);
          else fields.set(name, [selection]);
        } else if (selection.kind === Kind.INLINE_FRAGMENT) {
          if (this.#applies(selection.typeCondition?.name.value, type)) collect(selection.selectionSet);
        } else if (!spread.has(selection.name.value)) {
          spread.add(selection.name.value);
          const fragment = this.#fragments.get(selection.name.value);
          if (fragment && this.#applies(fragment.typeCondition.name.value, type)) collect(fragment.selectionSet);
        }
      }
    };
    for (const set of sets) collect(set);
    return fields;
  }

  #isIncluded(node: SelectionNode): boolean {
    if (!node.directives?.length) return true;
    if (getDirectiveValues(GraphQLSkipDirective, node, this.#variables)?.if === true) return false;
    return getDirectiveValues(GraphQLIncludeDirective, node, this.#variables)?.if !== false;
  }

  #applies(condition: string | undefined, type: GraphQLObjectType): boolean {
    if (condition === undefined || condition === type.name) return true;
    const abstract = this.#schema.getType(condition);
    return isAbstractType(abstract) && this.#schema.isSubType(abstract, type);
  }

  #numberOf(set: SelectionSetNode): number {
    const known = this.#numbers.get(set);
    if (known !== undefined) return known;
    this.#numbers.set(set, this.#numbers.size);
    return this.#numbers.size - 1;
  }
}
