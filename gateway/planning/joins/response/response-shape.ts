import {
  type FieldNode,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  isAbstractType,
  isEnumType,
  isInterfaceType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  isSpecifiedScalarType,
  Kind,
  print,
  type SelectionNode,
} from 'graphql';
import { isIntrospectionField } from '../../../graphql/syntax/index.ts';
import { fieldText, type SupergraphTypes } from '../../supergraph/index.ts';
import { narrowText } from '../json.ts';
import { type ClientOperation, type Conditions, isIncluded } from '../plan/index.ts';

/** The rules for writing a value of the response, according to the client's selection and the public schema. */
export type ValueShape =
  | {
      readonly kind: 'leaf';
      readonly nonNull: boolean;
      /** Whether values are never objects or lists. True for enums and built-in scalars. */
      readonly plain: boolean;
      /** The values of an enum that clients see. */
      readonly values?: ReadonlySet<string>;
      readonly isHidden?: IsHidden;
    }
  | { readonly kind: 'list'; readonly nonNull: boolean; readonly item: ValueShape }
  | {
      readonly kind: 'object';
      readonly nonNull: boolean;
      readonly shapeFor: ShapeFor;
      /** The shapes of all possible types in the public schema. */
      readonly possible: () => readonly ObjectShape[];
      readonly isHidden: IsHidden;
    };

/**
 * Whether an enum value or the type of an object is hidden from clients (`@inaccessible`). Such a value becomes null.
 */
export type IsHidden = (name: unknown) => boolean;

/** The shape of an object by its `__typename`. Undefined if the name is not a possible type in the public schema. */
export type ShapeFor = (typename: unknown) => ObjectShape | undefined;

export interface ObjectShape {
  readonly typename: string;
  readonly fields: readonly FieldShape[];
}

export interface FieldShape {
  /** The response key in the merged data. */
  readonly from: string;
  /** The client's response key. */
  readonly as: string;
  /** `as` as JSON text with a colon. A comma comes first unless this is the first field. */
  readonly prefix: string;
  readonly name: string;
  readonly value: ValueShape;
  /**
   * Whether the client may not access the field. Such a field is null, unless it is also selected at a place where it
   * is permitted.
   */
  readonly isRefused: boolean;
  /** JSON text that does not depend on the data, such as the type name. */
  readonly constant?: string;
}

/** The shape of an operation's response with the given values of `@skip` and `@include`. */
export function responseShapeOf(
  operation: ClientOperation,
  conditions: Conditions,
  schema: GraphQLSchema,
  types: SupergraphTypes,
): ObjectShape {
  const root = schema.getRootType(operation.definition.operation);
  const typename = root?.name ?? 'Query';
  return shapeOfObject([operation.definition.selectionSet.selections], typename, typename, {
    operation,
    conditions,
    schema,
    types,
  });
}

interface ShapeScope {
  readonly operation: ClientOperation;
  readonly conditions: Conditions;
  readonly schema: GraphQLSchema;
  readonly types: SupergraphTypes;
}

/**
 * @param typename the type whose fields apply
 * @param shown the value of `__typename`. Undefined if the data lacks it
 */
function shapeOfObject(
  sets: readonly (readonly SelectionNode[])[],
  typename: string,
  shown: string | undefined,
  scope: ShapeScope,
): ObjectShape {
  const collected = collectFields(sets, typename, scope);
  const type = scope.schema.getType(typename);
  const definitions = isObjectType(type) || isInterfaceType(type) ? type.getFields() : {};
  const fields: FieldShape[] = [];
  for (const [as, nodes] of collected) {
    const [node] = nodes;
    if (!node) continue;
    const name = node.name.value;
    const prefix = narrowText(`${fields.length === 0 ? '' : ','}${JSON.stringify(as)}:`);
    const from = scope.operation.responseKey(node);
    if (name === '__typename') {
      const constant = shown === undefined ? {} : { constant: narrowText(JSON.stringify(shown)) };
      const value = isAbstractType(type) ? typenameOf(scope.schema.getPossibleTypes(type)) : TYPENAME_SHAPE;
      fields.push({ from: '__typename', as, prefix, name, value, isRefused: false, ...constant });
    } else if (isIntrospectionField(name)) {
      fields.push({ from: as, as, prefix, name, value: INTROSPECTED, isRefused: false });
    } else {
      const definition = definitions[name];
      if (!definition) continue;
      const below = nodes.flatMap(({ selectionSet }) => (selectionSet ? [selectionSet.selections] : []));
      const isRefused = nodes.some((one) => scope.operation.refused.has(one));
      fields.push({ from, as, prefix, name, value: shapeOfValue(definition.type, below, scope), isRefused });
    }
  }
  return { typename, fields };
}

const TYPENAME_SHAPE: ValueShape = { kind: 'leaf', nonNull: true, plain: true };

/** `__typename` is the name of an object type, never that of an interface object. */
function typenameOf(types: readonly GraphQLObjectType[]): ValueShape {
  return { kind: 'leaf', nonNull: true, plain: true, values: new Set(types.map(({ name }) => name)) };
}

const INTROSPECTED: ValueShape = { kind: 'leaf', nonNull: false, plain: false };

function shapeOfValue(
  type: GraphQLOutputType,
  below: readonly (readonly SelectionNode[])[],
  scope: ShapeScope,
  nonNull = false,
): ValueShape {
  if (isNonNullType(type)) return shapeOfValue(type.ofType, below, scope, true);
  if (isListType(type)) return { kind: 'list', nonNull, item: shapeOfValue(type.ofType, below, scope) };
  if (isEnumType(type)) {
    const isHidden: IsHidden = (value) => typeof value === 'string' && scope.types.isHidden(type.name, value);
    return { kind: 'leaf', nonNull, plain: true, values: new Set(type.getValues().map(({ name }) => name)), isHidden };
  }
  if (isLeafType(type)) return { kind: 'leaf', nonNull, plain: isSpecifiedScalarType(type) };
  const isHidden: IsHidden = (name) => typeof name === 'string' && scope.types.isHidden(name);
  const shapes = new Map<unknown, ObjectShape | undefined>();
  if (isObjectType(type)) {
    let only: ObjectShape | undefined;
    const shapeFor = () => {
      only ??= shapeOfObject(below, type.name, type.name, scope);
      return only;
    };
    return { kind: 'object', nonNull, shapeFor, possible: () => [shapeFor()], isHidden };
  }
  const untyped = new Map<string, ObjectShape | undefined>();
  const withoutType = (name: string) => {
    if (!untyped.has(name))
      untyped.set(name, isTypeNeeded(below, name, scope) ? undefined : shapeOfObject(below, name, undefined, scope));
    return untyped.get(name);
  };
  const make = (typename: unknown): ObjectShape | undefined => {
    // The object belongs to an interface object, and its concrete type was not fetched.
    if (typeof typename !== 'string' || typename === type.name) return withoutType(type.name);
    const runtime = scope.schema.getType(typename);
    if (isInterfaceType(runtime)) return withoutType(typename);
    if (!isObjectType(runtime) || !scope.schema.isSubType(type, runtime)) return undefined;
    return shapeOfObject(below, typename, typename, scope);
  };
  const shapeFor = (typename: unknown) => {
    const known = shapes.get(typename);
    if (known) return known;
    const made = make(typename);
    // Only known names are cached. Unknown names come from subgraphs and could fill the memory.
    if (made) shapes.set(typename, made);
    return made;
  };
  const possible = () =>
    scope.schema.getPossibleTypes(type).flatMap(({ name }) => {
      const shape = shapeFor(name);
      return shape ? [shape] : [];
    });
  return { kind: 'object', nonNull, shapeFor, possible, isHidden };
}

/**
 * Whether the selected fields of an interface's objects depend on their types. If not, the planner does not fetch the
 * types.
 */
function isTypeNeeded(sets: readonly (readonly SelectionNode[])[], typename: string, scope: ShapeScope): boolean {
  if (!isNarrowed(sets, typename, scope)) return false;
  const abstract = scope.schema.getType(typename);
  const possible = isAbstractType(abstract) ? scope.schema.getPossibleTypes(abstract) : [];
  const textOf = (type: string) =>
    [...collectFields(sets, type, scope)]
      .map(([key, nodes]) => textOfField(key, nodes))
      .sort()
      .join('\n');
  const own = textOf(typename);
  return possible.some(({ name }) => textOf(name) !== own);
}

/** Whether fields are selected on only some of an interface's types. */
function isNarrowed(
  sets: readonly (readonly SelectionNode[])[],
  typename: string,
  { operation, conditions, schema }: ShapeScope,
): boolean {
  const abstract = schema.getType(typename);
  const possible = isAbstractType(abstract) ? schema.getPossibleTypes(abstract) : [];
  const isNarrowing = (condition: string | undefined) => {
    if (condition === undefined || condition === typename) return false;
    const type = schema.getType(condition);
    if (isObjectType(type)) return possible.includes(type);
    if (!isAbstractType(type) || (isInterfaceType(abstract) && schema.isSubType(type, abstract))) return false;
    return possible.some((one) => schema.isSubType(type, one));
  };
  const opened = new Set<string>();
  const needs = (selections: readonly SelectionNode[], inside: boolean): boolean =>
    selections.some((selection) => {
      if (!isIncluded(selection.directives, conditions)) return false;
      if (selection.kind === Kind.FIELD) return inside;
      const name = selection.kind === Kind.FRAGMENT_SPREAD ? selection.name.value : undefined;
      const place = name === undefined ? undefined : `${name} ${inside}`;
      if (place !== undefined && opened.has(place)) return false;
      if (place !== undefined) opened.add(place);
      const fragment = selection.kind === Kind.FRAGMENT_SPREAD ? operation.fragments.get(name ?? '') : selection;
      if (!fragment) return false;
      const { typeCondition, selectionSet } = fragment;
      return needs(selectionSet.selections, inside || isNarrowing(typeCondition?.name.value));
    });
  return sets.some((set) => needs(set, false));
}

/** A text that is equal for fields of one response key that are planned as the same field. */
function textOfField(key: string, nodes: readonly FieldNode[]): string {
  const [first] = nodes;
  const below = new Set(nodes.flatMap(({ selectionSet }) => (selectionSet ? [print(selectionSet)] : [])));
  return `${key}:${first ? fieldText(first) : ''}${[...below].sort().join(' ')}`;
}

/** `CollectFields` (GraphQL 6.3.2) with a known object type. */
function collectFields(
  sets: readonly (readonly SelectionNode[])[],
  typename: string,
  { operation, conditions, schema }: ShapeScope,
): Map<string, FieldNode[]> {
  const fields = new Map<string, FieldNode[]>();
  const opened = new Set<string>();
  const applies = (condition: string | undefined) => {
    if (condition === undefined || condition === typename) return true;
    const [wide, own] = [schema.getType(condition), schema.getType(typename)];
    return isAbstractType(wide) && (isObjectType(own) || isInterfaceType(own)) && schema.isSubType(wide, own);
  };
  const collect = (selections: readonly SelectionNode[]): void => {
    for (const selection of selections) {
      if (!isIncluded(selection.directives, conditions)) continue;
      if (selection.kind === Kind.FIELD) {
        const key = selection.alias?.value ?? selection.name.value;
        const known = fields.get(key);
        if (known) known.push(selection);
        else fields.set(key, [selection]);
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        if (applies(selection.typeCondition?.name.value)) collect(selection.selectionSet.selections);
      } else {
        const fragment = operation.fragments.get(selection.name.value);
        if (!fragment || opened.has(selection.name.value)) continue;
        opened.add(selection.name.value);
        if (applies(fragment.typeCondition.name.value)) collect(fragment.selectionSet.selections);
      }
    }
  };
  sets.forEach(collect);
  return fields;
}
