import { filterSchema } from '@graphql-tools/utils';
import {
  type GraphQLNamedType,
  type GraphQLSchema,
  type GraphQLType,
  getNamedType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isNamedType,
  isObjectType,
  isSpecifiedScalarType,
  isUnionType,
} from 'graphql';

/** The root fields and types that are hidden from clients. */
export interface Hiding {
  readonly rootFields: ReadonlySet<string>;
  /** Types that are needed even if no root field leads to them. */
  readonly keptTypes: readonly string[];
}

/**
 * Removes root fields and the types that only they lead to. Types that no field leads to are kept, since an operation
 * may name them in a fragment.
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

/** The names of these types and of all types that they lead to. */
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

function isBuiltIn(type: GraphQLType): boolean {
  return isNamedType(type) && (isIntrospectionType(type) || isSpecifiedScalarType(type));
}
