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
  visit,
} from 'graphql';
import { OperationTooComplex } from '../../federation/index.ts';
import { type Fragments, fragmentsOf, nameNode } from '../../syntax/index.ts';
import type { OperationDocument } from '../compiled-operation.ts';

/** The response key of an added `__typename` that decides whether a field was unauthorized. */
export const TYPE_KEY = 'portico__typename';

/** A field that was taken out, on all objects at a path that are of a type. */
export interface Denied {
  readonly path: readonly string[];
  readonly key: string;
  /** Types that an object on the way has to be of, by the number of steps that lead to it. */
  readonly conditions: readonly { readonly depth: number; readonly type: string }[];
}

/** What is left of selections, and what was taken out, by its path from there. */
interface Filtered {
  readonly selections: readonly SelectionNode[];
  readonly denied: readonly Denied[];
}

/** The most fields that are taken out of an operation, at different paths. */
const MOST_DENIED = 10_000;

/** Takes fields out of an operation. What is spread in many places is looked at once. */
export class SelectionFilter {
  readonly #operation: OperationDefinitionNode;
  readonly #schema: GraphQLSchema;
  readonly #refused: ReadonlySet<string>;
  readonly #fragments: Fragments;
  readonly #known = new Map<SelectionSetNode, Map<string, Filtered>>();
  /** The fragments of what is left, by their names. */
  readonly #rest = new Map<string, FragmentDefinitionNode>();

  /** @param refused fields, as `Type.field` */
  constructor({ document, operation }: OperationDocument, schema: GraphQLSchema, refused: ReadonlySet<string>) {
    this.#operation = operation;
    this.#schema = schema;
    this.#refused = refused;
    this.#fragments = fragmentsOf(document);
  }

  /** @throws OperationTooComplex where too much would have to be taken out */
  filtered(): { readonly rest: OperationDocument | undefined; readonly denied: readonly Denied[] } {
    const root = this.#schema.getRootType(this.#operation.operation);
    if (!root) return { rest: undefined, denied: [] };
    const { selections, denied } = this.#filtered(this.#operation.selectionSet, root);
    if (selections.length === 0) return { rest: undefined, denied };
    const selectionSet: SelectionSetNode = { kind: Kind.SELECTION_SET, selections };
    const fragments = [...this.#rest.values()];
    const operation = withoutUnusedVariables({ ...this.#operation, selectionSet }, fragments);
    return { rest: { document: { kind: Kind.DOCUMENT, definitions: [operation, ...fragments] }, operation }, denied };
  }

  #filtered(set: SelectionSetNode, parent: GraphQLNamedType): Filtered {
    const byType = this.#known.get(set) ?? new Map<string, Filtered>();
    this.#known.set(set, byType);
    const known = byType.get(parent.name);
    if (known) return known;
    const denied = new Map<string, Denied>();
    const selections = set.selections.flatMap((selection) => {
      const one = selection.kind === Kind.FIELD ? this.#field(selection, parent) : this.#fragment(selection, parent);
      for (const field of one.denied) denied.set(JSON.stringify(field), field);
      if (denied.size > MOST_DENIED) throw new OperationTooComplex();
      return one.selections;
    });
    const made = { selections, denied: [...denied.values()] };
    byType.set(parent.name, made);
    return made;
  }

  #fragment(selection: FragmentSpreadNode | InlineFragmentNode, parent: GraphQLNamedType): Filtered {
    const fragment = selection.kind === Kind.INLINE_FRAGMENT ? selection : this.#fragments.get(selection.name.value);
    if (!fragment) return NOTHING;
    const condition = fragment.typeCondition?.name.value;
    // An object stays of its own type, whatever it is also called.
    const narrows = condition !== undefined && condition !== parent.name && isAbstractType(parent);
    const type = narrows ? this.#schema.getType(condition) : parent;
    if (!type) return NOTHING;
    const inner = this.#filtered(fragment.selectionSet, type);
    const denied = narrows
      ? inner.denied.map((one) => ({ ...one, conditions: [{ depth: 0, type: type.name }, ...one.conditions] }))
      : inner.denied;
    const asked = narrows && denied.length > 0 ? [typeQuestion()] : [];
    if (inner.selections.length === 0) return { selections: asked, denied };
    const selectionSet: SelectionSetNode = { kind: Kind.SELECTION_SET, selections: inner.selections };
    const left =
      selection.kind === Kind.INLINE_FRAGMENT
        ? { ...selection, selectionSet }
        : this.#spread(selection, type, selectionSet);
    return { selections: [...asked, left], denied };
  }

  /** Spreads what is left of a fragment for objects of a type. */
  #spread(
    spread: FragmentSpreadNode,
    { name: type }: GraphQLNamedType,
    selectionSet: SelectionSetNode,
  ): FragmentSpreadNode {
    const own = spread.name.value;
    const condition = this.#fragments.get(own)?.typeCondition;
    // One name for each type: names with two underscores at their end are left to these.
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

  #field(field: FieldNode, parent: GraphQLNamedType): Filtered {
    const key = field.alias?.value ?? field.name.value;
    if (this.#refused.has(`${parent.name}.${field.name.value}`))
      return { selections: [], denied: [{ path: [], key, conditions: [] }] };
    const definition =
      isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[field.name.value] : undefined;
    if (!field.selectionSet || !definition) return { selections: [field], denied: [] };
    const inner = this.#filtered(field.selectionSet, getNamedType(definition.type));
    // The object itself is not refused: its source decides whether it exists or is null.
    const selections = inner.selections.length > 0 ? inner.selections : [typeQuestion()];
    return {
      selections: [{ ...field, selectionSet: { kind: Kind.SELECTION_SET, selections } }],
      denied: inner.denied.map(({ path, key: own, conditions }) => ({
        path: [key, ...path],
        key: own,
        conditions: conditions.map(({ depth, type }) => ({ depth: depth + 1, type })),
      })),
    };
  }
}

const NOTHING: Filtered = { selections: [], denied: [] };

function typeQuestion(): FieldNode {
  return { kind: Kind.FIELD, alias: nameNode(TYPE_KEY), name: nameNode('__typename') };
}

function withoutUnusedVariables(
  operation: OperationDefinitionNode,
  fragments: readonly FragmentDefinitionNode[],
): OperationDefinitionNode {
  const names = new Set<string>();
  for (const node of [{ ...operation, variableDefinitions: [] }, ...fragments])
    visit(node, { Variable: ({ name }) => void names.add(name.value) });
  const kept = (operation.variableDefinitions ?? []).filter(({ variable }) => names.has(variable.name.value));
  return { ...operation, variableDefinitions: kept };
}
