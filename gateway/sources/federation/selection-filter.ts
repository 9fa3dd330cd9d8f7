import {
  type FieldNode,
  type FragmentDefinitionNode,
  type FragmentSpreadNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  type InlineFragmentNode,
  isAbstractType,
  isInterfaceType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import { type Fragments, fragmentsOf, nameNode, TYPENAME_FIELD } from '../../graphql/syntax/index.ts';
import type { Refusal } from '../../planning/joins/index.ts';
import type { OperationDocument } from '../compiled-operation.ts';

/** Removes fields from an operation. Each selection set is visited once per type, however often it is spread. */
export class SelectionFilter {
  readonly #operation: OperationDefinitionNode;
  readonly #schema: GraphQLSchema;
  readonly #refused: ReadonlySet<string>;
  readonly #fragments: Fragments;
  readonly #known = new Map<SelectionSetNode, Map<string, readonly SelectionNode[]>>();
  readonly #taken = new Set<FieldNode>();
  /** The fragments of the filtered operation, by name. */
  readonly #rest = new Map<string, FragmentDefinitionNode>();

  /** @param refused the removed fields, as `Type.field` */
  constructor({ document, operation }: OperationDocument, schema: GraphQLSchema, refused: ReadonlySet<string>) {
    this.#operation = operation;
    this.#schema = schema;
    this.#refused = refused;
    this.#fragments = fragmentsOf(document);
  }

  refusal(): Refusal {
    const root = this.#schema.getRootType(this.#operation.operation);
    const selections = root ? this.#left(this.#operation.selectionSet, root) : [];
    if (selections.length === 0) return { fields: this.#taken, rest: undefined };
    const operation = { ...this.#operation, selectionSet: { kind: Kind.SELECTION_SET, selections } } as const;
    const definitions = [operation, ...this.#rest.values()];
    return { fields: this.#taken, rest: { document: { kind: Kind.DOCUMENT, definitions }, operation } };
  }

  /** The selections that remain after filtering. */
  #left(set: SelectionSetNode, parent: GraphQLNamedType): readonly SelectionNode[] {
    const byType = this.#known.get(set) ?? new Map<string, readonly SelectionNode[]>();
    this.#known.set(set, byType);
    const known = byType.get(parent.name);
    if (known) return known;
    const left = set.selections.flatMap((selection) =>
      selection.kind === Kind.FIELD ? this.#field(selection, parent) : this.#fragment(selection, parent),
    );
    // If a field is refused for objects of one type only, the remaining selections may no longer select `__typename`.
    const made = isAbstractType(parent) ? [...left, TYPENAME_FIELD] : left;
    byType.set(parent.name, made);
    return made;
  }

  #fragment(selection: FragmentSpreadNode | InlineFragmentNode, parent: GraphQLNamedType): readonly SelectionNode[] {
    const fragment = selection.kind === Kind.INLINE_FRAGMENT ? selection : this.#fragments.get(selection.name.value);
    if (!fragment) return [];
    const condition = fragment.typeCondition?.name.value;
    // An object keeps its concrete type, even if the condition names an interface or union.
    const narrows = condition !== undefined && condition !== parent.name && isAbstractType(parent);
    const type = narrows ? this.#schema.getType(condition) : parent;
    if (!type) return [];
    const selections = this.#left(fragment.selectionSet, type);
    if (selections.length === 0) return [];
    const selectionSet: SelectionSetNode = { kind: Kind.SELECTION_SET, selections };
    return [
      selection.kind === Kind.INLINE_FRAGMENT
        ? { ...selection, selectionSet }
        : this.#spread(selection, type, selectionSet),
    ];
  }

  /** Spreads the remaining part of a fragment for objects of a type. */
  #spread(
    spread: FragmentSpreadNode,
    { name: type }: GraphQLNamedType,
    selectionSet: SelectionSetNode,
  ): FragmentSpreadNode {
    const own = spread.name.value;
    const condition = this.#fragments.get(own)?.typeCondition;
    // Creates one fragment name for each type. Names that end in two underscores and a type are reserved for these
    // fragments.
    const name = `${own}__${type}`;
    if (condition && !this.#rest.has(name))
      this.#rest.set(name, {
        kind: Kind.FRAGMENT_DEFINITION,
        name: nameNode(name),
        typeCondition: condition,
        selectionSet,
      });
    return { ...spread, name: nameNode(name) };
  }

  #field(field: FieldNode, parent: GraphQLNamedType): readonly SelectionNode[] {
    if (this.#refused.has(`${parent.name}.${field.name.value}`)) {
      this.#taken.add(field);
      return [];
    }
    const definition =
      isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[field.name.value] : undefined;
    if (!field.selectionSet || !definition) return [field];
    const left = this.#left(field.selectionSet, getNamedType(definition.type));
    // The object itself is not refused. Its source decides whether it exists or is null.
    const selections = left.length > 0 ? left : [TYPENAME_FIELD];
    return [{ ...field, selectionSet: { kind: Kind.SELECTION_SET, selections } }];
  }
}
