import {
  GraphQLEnumType,
  type GraphQLEnumValueConfigMap,
  type GraphQLFieldConfigMap,
  type GraphQLInputFieldConfigMap,
  GraphQLInputObjectType,
  GraphQLInterfaceType,
  GraphQLList,
  type GraphQLNamedType,
  GraphQLNonNull,
  type GraphQLNullableType,
  GraphQLObjectType,
  GraphQLScalarType,
  GraphQLSchema,
  type GraphQLType,
  GraphQLUnionType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
  isSpecifiedScalarType,
  isUnionType,
  OperationTypeNode,
  specifiedDirectives,
} from 'graphql';
import type { Sliced } from '../../../platform/index.ts';
import { type RootTypeNames, STANDARD_ROOT_TYPES } from './root-type-names.ts';

const OPERATION_TYPES = Object.values(OperationTypeNode);

/**
 * Joins schemas as stitching does when it merges no types by keys: the result has all root fields and each type once.
 * Types of the same name may each lack elements, for example because a role sees only part of one. Elements that
 * several types have must be the same, and the last description is used. Only GraphQL's own directives are kept.
 *
 * @param names the names of the root types.
 */
export function* joinSchemas(
  parts: readonly JoinedPart[],
  names: RootTypeNames = STANDARD_ROOT_TYPES,
): Sliced<GraphQLSchema> {
  const joined = new Map<string, JoinedType>();
  for (const { schema, isCanonical = () => false } of parts) {
    const renamed = new Map(
      OPERATION_TYPES.flatMap((operation) => {
        const own = schema.getRootType(operation);
        return own ? [[own.name, names[operation]] as const] : [];
      }),
    );
    const rewire = rewiring(joined, renamed);
    for (const type of Object.values(schema.getTypeMap())) {
      if (isIntrospectionType(type)) continue;
      const name = renamed.get(type.name) ?? type.name;
      const known = joined.get(name);
      const candidates: Candidate[] = known?.candidates ?? [];
      candidates.push({ type, rewire, isCanonical: (field) => isCanonical(name, field) });
      // Scalars and enums have no lazy members, so they are recreated from all candidates so far.
      const made = known && !isLeafType(type) ? known.type : joinedType(name, candidates);
      joined.set(name, { type: made, candidates });
      yield;
    }
  }
  // Thunks of types are resolved individually, since the schema would resolve all at once.
  for (const { type, candidates } of joined.values()) {
    if (!isScalarType(type)) type.description = canonicalOf(candidates)?.description;
    if (isUnionType(type)) type.getTypes();
    if (isInputObjectType(type)) type.getFields();
    if (isObjectType(type) || isInterfaceType(type)) {
      type.getFields();
      type.getInterfaces();
    }
    yield;
  }
  const root = (operation: OperationTypeNode) => {
    const type = joined.get(names[operation])?.type;
    return isObjectType(type) ? type : undefined;
  };
  const roots = {
    query: root(OperationTypeNode.QUERY),
    mutation: root(OperationTypeNode.MUTATION),
    subscription: root(OperationTypeNode.SUBSCRIPTION),
  };
  const first = Object.values(roots).filter((type) => type !== undefined);
  return new GraphQLSchema({
    ...roots,
    types: [...new Set([...first, ...[...joined.values()].map(({ type }) => type)])],
    directives: specifiedDirectives,
  });
}

export interface JoinedPart {
  readonly schema: GraphQLSchema;
  /** Whether the description and arguments of this part's type or field take precedence. */
  isCanonical?(type: string, field?: string): boolean;
}

/** A type of one schema. `rewire` replaces the types that it refers to with the joined types. */
interface Candidate {
  readonly type: GraphQLNamedType;
  readonly rewire: Rewire;
  isCanonical(field?: string): boolean;
}

interface JoinedType {
  readonly type: GraphQLNamedType;
  /** All types of this name. The list grows while schemas are read. */
  readonly candidates: Candidate[];
}

type FieldConfigs = GraphQLFieldConfigMap<unknown, unknown>;
type Rewire = <Type extends GraphQLType>(type: Type) => Type;

/** @param renamed the new names of root types, by their own names. */
function rewiring(joined: ReadonlyMap<string, JoinedType>, renamed: ReadonlyMap<string, string>): Rewire {
  const rewired = (type: GraphQLType): GraphQLType => {
    if (isListType(type)) return new GraphQLList(rewired(type.ofType));
    if (isNonNullType(type)) return new GraphQLNonNull(rewired(type.ofType) as GraphQLNullableType);
    const found = joined.get(renamed.get(type.name) ?? type.name);
    if (!found) throw new TypeError(`a type that no schema has: ${type.name}`);
    return found.type;
  };
  return rewired as Rewire;
}

/** Creates a type with the members of all candidates, including those that are added later. */
function joinedType(name: string, candidates: readonly Candidate[]): GraphQLNamedType {
  const [first, last] = [candidates[0]?.type, candidates.at(-1)?.type];
  if (isScalarType(last)) return joinedScalar(last, candidates);
  if (isEnumType(first)) return new GraphQLEnumType({ name, values: merged(candidates, enumValues) });
  if (isUnionType(first))
    return new GraphQLUnionType({
      name,
      types: () => unique(candidates, ({ type, rewire }) => (isUnionType(type) ? type.getTypes().map(rewire) : [])),
    });
  if (isInputObjectType(first))
    return new GraphQLInputObjectType({
      name,
      isOneOf: first.isOneOf,
      fields: () => merged(candidates, inputFields),
    });
  const made = {
    name,
    interfaces: () =>
      unique(candidates, ({ type, rewire }) => (isCompositeType(type) ? type.getInterfaces().map(rewire) : [])),
    fields: () => merged(candidates, joinedFields),
  };
  return isInterfaceType(first) ? new GraphQLInterfaceType(made) : new GraphQLObjectType(made);
}

const UNCHECKED = new GraphQLScalarType({ name: 'Unchecked' });

/**
 * Joins scalars. The last one that checks values reads them, and the canonical one provides the description. `@specifiedBy` may come
 * from any of them, since a part may omit it.
 */
function joinedScalar(last: GraphQLScalarType, candidates: readonly Candidate[]): GraphQLScalarType {
  if (candidates.length === 1 || isSpecifiedScalarType(last)) return last;
  const canonical = canonicalOf(candidates);
  const specified = [...candidates.map(({ type }) => type), canonical].findLast(
    (type) => isScalarType(type) && typeof type.specifiedByURL === 'string',
  );
  const types = candidates.map(({ type }) => type);
  const reading = types.findLast((type) => isScalarType(type) && type.parseValue !== UNCHECKED.parseValue) ?? last;
  return new GraphQLScalarType({
    ...(isScalarType(reading) ? reading : last).toConfig(),
    description: canonical?.description,
    specifiedByURL: isScalarType(specified) ? specified.specifiedByURL : undefined,
    astNode: undefined,
    extensionASTNodes: [],
  });
}

/** The canonical type, or the last one if none is canonical. */
function canonicalOf(candidates: readonly Candidate[]): GraphQLNamedType | undefined {
  return (candidates.findLast((one) => one.isCanonical()) ?? candidates.at(-1))?.type;
}

/** Merges the fields of all candidates. The canonical field takes precedence, otherwise the last one is used. */
function merged<Field>(
  candidates: readonly Candidate[],
  fieldsOf: (candidate: Candidate) => Readonly<Record<string, Field>>,
): Record<string, Field> {
  const all: Record<string, Field> = {};
  const canonical: Record<string, Field> = {};
  for (const candidate of candidates)
    for (const [name, field] of Object.entries(fieldsOf(candidate))) {
      all[name] = field;
      if (candidate.isCanonical() || candidate.isCanonical(name)) canonical[name] = field;
    }
  return Object.assign(all, canonical);
}

function isCompositeType(type: GraphQLNamedType): type is GraphQLObjectType | GraphQLInterfaceType {
  return isObjectType(type) || isInterfaceType(type);
}

function unique<Item>(candidates: readonly Candidate[], itemsOf: (candidate: Candidate) => readonly Item[]): Item[] {
  return [...new Set(candidates.flatMap(itemsOf))];
}

function joinedFields({ type, rewire }: Candidate): FieldConfigs {
  if (!isCompositeType(type)) return {};
  const { fields } = type.toConfig();
  for (const field of Object.values(fields)) {
    Object.assign(field, { type: rewire(field.type), astNode: undefined, resolve: undefined, subscribe: undefined });
    for (const argument of Object.values(field.args ?? {}))
      Object.assign(argument, { type: rewire(argument.type), astNode: undefined });
  }
  return fields;
}

function enumValues({ type }: Candidate): GraphQLEnumValueConfigMap {
  return isEnumType(type) ? type.toConfig().values : {};
}

function inputFields({ type, rewire }: Candidate): GraphQLInputFieldConfigMap {
  if (!isInputObjectType(type)) return {};
  const { fields } = type.toConfig();
  for (const field of Object.values(fields)) Object.assign(field, { type: rewire(field.type), astNode: undefined });
  return fields;
}
