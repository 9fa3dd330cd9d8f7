import { filterSchema, MapperKind, mapSchema } from '@graphql-tools/utils';
import {
  type GraphQLNamedType,
  GraphQLObjectType,
  type GraphQLSchema,
  type GraphQLType,
  GraphQLUnionType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isNamedType,
  isObjectType,
  isSpecifiedScalarType,
  isUnionType,
  type OperationTypeNode,
} from 'graphql';

/** The visible part of a schema: root fields to hide, and whether a type is visible. */
export interface Hiding {
  readonly rootFields: ReadonlySet<string>;
  /** Types that are needed although no root field leads to them. */
  readonly keptTypes: readonly string[];
}

/**
 * The schema without some root fields, and without the types that only they lead to. A type that no field leads to stays: an
 * operation may name it in a fragment.
 */
export function withoutRootFields(schema: GraphQLSchema, { rootFields, keptTypes }: Hiding): GraphQLSchema {
  const roots = filterSchema({ schema, rootFieldFilter: (_, field) => !rootFields.has(field) });
  const hidden = Object.entries(schema.getQueryType()?.getFields() ?? {}).filter(([name]) => rootFields.has(name));
  const needed = reachedFrom(
    hidden.flatMap(([, { type, args }]) => [
      getNamedType(type),
      ...args.map((argument) => getNamedType(argument.type)),
    ]),
    schema,
  );
  const kept = new Set<GraphQLNamedType | null | undefined>([
    roots.getQueryType(),
    roots.getMutationType(),
    roots.getSubscriptionType(),
    ...keptTypes.map((name) => roots.getType(name)),
  ]);
  const visible = Object.values(roots.getTypeMap()).filter((type) => !needed.has(type.name) || kept.has(type));
  const reached = reachedFrom(visible, roots);
  return filterSchema({ schema: roots, typeFilter: (name, type) => isBuiltIn(type) || reached.has(name) });
}

/** The names of these types and of those that they lead to. */
function reachedFrom(types: readonly GraphQLNamedType[], schema: GraphQLSchema): ReadonlySet<string> {
  const reached = new Set<string>();
  const pending = [...types];
  for (let type = pending.pop(); type; type = pending.pop()) {
    if (reached.has(type.name)) continue;
    reached.add(type.name);
    pending.push(...neighbours(type, schema));
  }
  return reached;
}

function neighbours(type: GraphQLNamedType, schema: GraphQLSchema): readonly GraphQLNamedType[] {
  if (isUnionType(type)) return type.getTypes();
  if (isInputObjectType(type)) return Object.values(type.getFields()).map((field) => getNamedType(field.type));
  if (!isObjectType(type) && !isInterfaceType(type)) return [];
  return [
    ...type.getInterfaces(),
    ...(isInterfaceType(type) ? schema.getPossibleTypes(type) : []),
    ...Object.values(type.getFields()).flatMap((field) => [
      getNamedType(field.type),
      ...field.args.map((argument) => getNamedType(argument.type)),
    ]),
  ];
}

/** Takes out of a schema what `part` does not have; what stays keeps how it is resolved. */
export function onlyVisible(schema: GraphQLSchema, part: GraphQLSchema): GraphQLSchema {
  const partType = (name: string) => part.getType(rootNameIn(part, schema, name));
  const field = (type: string, name: string) => {
    const found = partType(type);
    return isObjectType(found) || isInterfaceType(found) || isInputObjectType(found)
      ? found.getFields()[name]
      : undefined;
  };
  const filtered = filterSchema({
    schema,
    typeFilter: (name, type) => isBuiltIn(type) || partType(name) !== undefined,
    rootFieldFilter: (operation, name) =>
      Boolean(part.getRootType(operation.toLowerCase() as OperationTypeNode)?.getFields()[name ?? '']),
    fieldFilter: (type, name) => field(type ?? '', name ?? '') !== undefined,
    argumentFilter: (type, name, argument) => {
      const found = field(type ?? '', name ?? '');
      return Boolean(found && 'args' in found && found.args.some((one) => one.name === argument));
    },
    inputObjectFieldFilter: (type, name) => field(type ?? '', name ?? '') !== undefined,
    enumValueFilter: (type, name) => {
      const found = partType(type ?? '');
      return isEnumType(found) && found.getValue(name ?? '') !== undefined;
    },
  });
  return mapSchema(filtered, {
    [MapperKind.UNION_TYPE]: (type) => {
      const members = new Set(
        part.getPossibleTypes(part.getType(type.name) as GraphQLUnionType).map(({ name }) => name),
      );
      return new GraphQLUnionType({
        ...type.toConfig(),
        types: type.getTypes().filter(({ name }) => members.has(name)),
      });
    },
    [MapperKind.OBJECT_TYPE]: (type) => {
      const found = part.getType(type.name);
      if (!isObjectType(found)) return undefined;
      const names = new Set(found.getInterfaces().map(({ name }) => name));
      const interfaces = type.getInterfaces().filter(({ name }) => names.has(name));
      return new GraphQLObjectType({ ...type.toConfig(), interfaces });
    },
  });
}

/** Root types may have other names in the part. */
function rootNameIn(part: GraphQLSchema, whole: GraphQLSchema, name: string): string {
  if (name === whole.getQueryType()?.name) return part.getQueryType()?.name ?? name;
  if (name === whole.getMutationType()?.name) return part.getMutationType()?.name ?? name;
  if (name === whole.getSubscriptionType()?.name) return part.getSubscriptionType()?.name ?? name;
  return name;
}

function isBuiltIn(type: GraphQLType): boolean {
  return isNamedType(type) && (isIntrospectionType(type) || isSpecifiedScalarType(type));
}
