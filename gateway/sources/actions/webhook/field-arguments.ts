import { isDeepStrictEqual } from 'node:util';
import {
  type FieldNode,
  type GraphQLCompositeType,
  GraphQLError,
  GraphQLIncludeDirective,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  GraphQLSkipDirective,
  getArgumentValues,
  getDirectiveValues,
  getNamedType,
  isAbstractType,
  isCompositeType,
  isObjectType,
  Kind,
  type SelectionNode,
} from 'graphql';

/** The arguments with which an operation selects a field of an action's value. */
export interface FieldArguments {
  /** The way from the action's value to the field, such as `["Shop.orders", "Order.lines"]`, without aliases. */
  readonly path: readonly string[];
  /** The coerced arguments, with the default values of arguments that are not given. */
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** Collects the arguments of the fields that an operation selects below an action. */
export type CollectFieldArguments = (info: GraphQLResolveInfo) => readonly FieldArguments[] | undefined;

/** The maximum number of selections that are visited. Each possible type of an interface or union is visited by itself. */
const MAX_VISITED = 20_000;

/** Returns a function that returns undefined if no field below a value of a type has arguments. */
export function fieldArgumentCollectors(
  schema: GraphQLSchema,
): (type: GraphQLOutputType) => CollectFieldArguments | undefined {
  const withArguments = typesWithArguments(schema);
  return (type) => {
    const named = getNamedType(type);
    if (!isCompositeType(named) || !withArguments.has(named.name)) return undefined;
    return (info) => {
      const found: FieldArguments[] = [];
      new ArgumentCollector(info, withArguments, found).collect(named, info.fieldNodes, []);
      return found.length > 0 ? found : undefined;
    };
  };
}

/** The names of the types from whose values a field with arguments can be reached. */
function typesWithArguments(schema: GraphQLSchema): ReadonlySet<string> {
  const roots = new Set([schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()]);
  const types = Object.values(schema.getTypeMap()).filter(
    (type) => isCompositeType(type) && !(isObjectType(type) && roots.has(type)) && !type.name.startsWith('__'),
  ) as GraphQLCompositeType[];
  const found = new Set<string>();
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const type of types)
      if (
        objectsOf(type, schema).some((object) =>
          Object.values(object.getFields()).some(
            (field) => field.args.length > 0 || found.has(getNamedType(field.type).name),
          ),
        )
      )
        found.add(type.name);
  }
  return found;
}

function objectsOf(type: GraphQLCompositeType, schema: GraphQLSchema): readonly GraphQLObjectType[] {
  return isAbstractType(type) ? schema.getPossibleTypes(type) : [type];
}

/** Visits the selections of one operation with the values of its variables. */
class ArgumentCollector {
  readonly #info: GraphQLResolveInfo;
  readonly #withArguments: ReadonlySet<string>;
  readonly #found: FieldArguments[];
  #visited = 0;

  constructor(info: GraphQLResolveInfo, withArguments: ReadonlySet<string>, found: FieldArguments[]) {
    this.#info = info;
    this.#withArguments = withArguments;
    this.#found = found;
  }

  collect(type: GraphQLCompositeType, nodes: readonly FieldNode[], path: readonly string[]): void {
    if (!this.#withArguments.has(type.name)) return;
    for (const object of objectsOf(type, this.#info.schema))
      for (const [name, selected] of this.#fieldsOf(object, nodes)) {
        const field = Object.hasOwn(object.getFields(), name) ? object.getFields()[name] : undefined;
        if (!field) continue;
        const coordinate = `${object.name}.${name}`;
        if (field.args.length > 0) this.#found.push(this.#argumentsOf(field, selected, [...path, coordinate]));
        const below = getNamedType(field.type);
        if (isCompositeType(below)) this.collect(below, selected, [...path, coordinate]);
      }
  }

  #argumentsOf(
    field: ReturnType<GraphQLObjectType['getFields']>[string],
    selected: readonly FieldNode[],
    path: readonly string[],
  ): FieldArguments {
    const [first = {}, ...others] = selected.map((node) => getArgumentValues(field, node, this.#info.variableValues));
    // The handler returns one value for a field, so it could respond to one of the selections only.
    if (others.some((other) => !isDeepStrictEqual(first, other)))
      throw refused(
        `the field "${path.at(-1)}" is selected with different arguments, and the action returns one value for it: use two operations`,
        selected,
      );
    return { path, arguments: first };
  }

  /** The selected fields by their own names. */
  #fieldsOf(type: GraphQLObjectType, parents: readonly FieldNode[]): ReadonlyMap<string, readonly FieldNode[]> {
    const fields = new Map<string, FieldNode[]>();
    const opened = new Set<string>();
    const visit = (selections: readonly SelectionNode[]): void => {
      for (const selection of selections) {
        this.#visited += 1;
        if (this.#visited > MAX_VISITED)
          throw refused('the operation selects too many combinations of types and fields with arguments', parents);
        if (!this.#isIncluded(selection)) continue;
        if (selection.kind === Kind.FIELD) {
          const known = fields.get(selection.name.value);
          if (known) known.push(selection);
          else fields.set(selection.name.value, [selection]);
          continue;
        }
        const spread = selection.kind === Kind.FRAGMENT_SPREAD ? selection.name.value : undefined;
        if (spread !== undefined && opened.has(spread)) continue;
        if (spread !== undefined) opened.add(spread);
        const fragment = selection.kind === Kind.FRAGMENT_SPREAD ? this.#info.fragments[spread ?? ''] : selection;
        if (fragment && this.#applies(fragment.typeCondition?.name.value, type))
          visit(fragment.selectionSet.selections);
      }
    };
    for (const { selectionSet } of parents) if (selectionSet) visit(selectionSet.selections);
    return fields;
  }

  #isIncluded(selection: SelectionNode): boolean {
    if ((selection.directives ?? []).length === 0) return true;
    const { variableValues } = this.#info;
    const skip = getDirectiveValues(GraphQLSkipDirective, selection, variableValues);
    const include = getDirectiveValues(GraphQLIncludeDirective, selection, variableValues);
    return skip?.if !== true && include?.if !== false;
  }

  #applies(condition: string | undefined, type: GraphQLObjectType): boolean {
    if (condition === undefined || condition === type.name) return true;
    const wide = this.#info.schema.getType(condition);
    return isAbstractType(wide) && this.#info.schema.isSubType(wide, type);
  }
}

function refused(message: string, nodes: readonly FieldNode[]): GraphQLError {
  return new GraphQLError(message, { nodes: nodes.slice(0, 2), extensions: { path: '$', code: 'validation-failed' } });
}
