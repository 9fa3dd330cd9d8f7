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
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import type { SupergraphTypes } from '../../supergraph/index.ts';
import { nameNode, TYPENAME_FIELD } from '../../syntax/index.ts';
import { OperationTooComplex } from '../errors.ts';
import { isList, isObject, type Json, type ResponsePath } from '../json.ts';
import type { ClientOperation } from '../plan/index.ts';
import { errorPlace, type ObjectShape } from '../response/index.ts';
import { type PlanRun, reportError } from './run.ts';

/** A field that was taken out, on all objects at a path that are of a type, by keys of the data. */
export interface DeniedField {
  readonly path: readonly string[];
  readonly key: string;
  /** Types that an object on the way has to be of, by the number of steps that lead to it. */
  readonly conditions: readonly { readonly depth: number; readonly type: string }[];
}

/** An operation without the fields that its caller may not have. */
export interface RefusedFields {
  /** Undefined where nothing is left. */
  readonly rest: ClientOperation | undefined;
  readonly denied: readonly DeniedField[];
}

/**
 * Takes fields out of an operation.
 * @param refused as `Type.field`
 * @throws OperationTooComplex where there are too many
 */
export function refuseFields(
  operation: ClientOperation,
  schema: GraphQLSchema,
  refused: ReadonlySet<string>,
): RefusedFields {
  return new SelectionFilter(operation, schema, refused).filtered();
}

/** Reports the fields that were taken out, on the objects that there are. One that `@skip` leaves out is not reported. */
export function reportRefused<Context>(
  denied: readonly DeniedField[],
  run: PlanRun<Context>,
  shape: ObjectShape,
  types: SupergraphTypes,
): void {
  const report = (value: Json | undefined, at: ResponsePath, step: number, one: DeniedField): void => {
    if (isList(value)) {
      for (const [index, item] of value.entries()) report(item, [...at, index], step, one);
      return;
    }
    if (!isObject(value)) return;
    const isOther = ({ depth, type }: DeniedField['conditions'][number]) =>
      depth === step && !types.isA(String(value.__typename), type);
    if (one.conditions.some(isOther)) return;
    const next = one.path[step];
    if (next !== undefined) {
      report(value[next], [...at, next], step + 1, one);
      return;
    }
    const path = [...at, one.key];
    // Selected in another place of the operation too, by a type that does not refuse it.
    if (value[one.key] !== undefined && value[one.key] !== null) return;
    if (errorPlace(shape, run.data, path).unselected !== undefined) return;
    reportError(run, {
      message: 'Unauthorized field or type',
      path,
      extensions: { path: '$', code: 'UNAUTHORIZED_FIELD_OR_TYPE' },
    });
  };
  for (const one of denied) report(run.data, [], 0, one);
}

/** What is left of selections, and what was taken out, by its path from there. */
interface Filtered {
  readonly selections: readonly SelectionNode[];
  readonly denied: readonly DeniedField[];
}

/** The most fields that are taken out of an operation, at different paths. */
const MOST_DENIED = 10_000;

/** Takes fields out of an operation. What is spread in many places is looked at once. */
class SelectionFilter {
  readonly #operation: ClientOperation;
  readonly #schema: GraphQLSchema;
  readonly #refused: ReadonlySet<string>;
  readonly #known = new Map<SelectionSetNode, Map<string, Filtered>>();
  /** The fragments of what is left, by their names. */
  readonly #rest = new Map<string, FragmentDefinitionNode>();

  constructor(operation: ClientOperation, schema: GraphQLSchema, refused: ReadonlySet<string>) {
    this.#operation = operation;
    this.#schema = schema;
    this.#refused = refused;
  }

  filtered(): RefusedFields {
    const { definition } = this.#operation;
    const root = this.#schema.getRootType(definition.operation);
    if (!root) return { rest: undefined, denied: [] };
    const { selections, denied } = this.#filtered(definition.selectionSet, root);
    if (selections.length === 0) return { rest: undefined, denied };
    const selectionSet: SelectionSetNode = { kind: Kind.SELECTION_SET, selections };
    return { rest: { ...this.#operation, definition: { ...definition, selectionSet }, fragments: this.#rest }, denied };
  }

  #filtered(set: SelectionSetNode, parent: GraphQLNamedType): Filtered {
    const byType = this.#known.get(set) ?? new Map<string, Filtered>();
    this.#known.set(set, byType);
    const known = byType.get(parent.name);
    if (known) return known;
    const denied = new Map<string, DeniedField>();
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
    const fragment =
      selection.kind === Kind.INLINE_FRAGMENT ? selection : this.#operation.fragments.get(selection.name.value);
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
    const asked = narrows && denied.length > 0 ? [TYPENAME_FIELD] : [];
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
    const condition = this.#operation.fragments.get(own)?.typeCondition;
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
    const key = this.#operation.responseKey(field);
    if (this.#refused.has(`${parent.name}.${field.name.value}`))
      return { selections: [], denied: [{ path: [], key, conditions: [] }] };
    const definition =
      isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[field.name.value] : undefined;
    if (!field.selectionSet || !definition) return { selections: [field], denied: [] };
    const inner = this.#filtered(field.selectionSet, getNamedType(definition.type));
    // The object itself is not refused: its source decides whether it exists or is null.
    const selections = inner.selections.length > 0 ? inner.selections : [TYPENAME_FIELD];
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
