import { MapperKind, mapSchema } from '@graphql-tools/utils';
import {
  GraphQLList,
  type GraphQLNullableType,
  type GraphQLOutputType,
  GraphQLScalarType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isLeafType,
  isListType,
} from 'graphql';
import type { Subschema } from '../../sources/index.ts';

/**
 * The schema for execution if sources have types whose fields pass unchecked. In it these fields accept null and any
 * scalar. Operations are validated against `schema`, which clients see.
 */
export function executableSchema(schema: GraphQLSchema, subschemas: readonly Subschema[]): GraphQLSchema {
  const unchecked = new Set(subschemas.flatMap((subschema) => uncheckedOf(subschema, subschemas)));
  if (unchecked.size === 0) return schema;
  const anything = new GraphQLScalarType({ name: 'portico_Anything' });
  return mapSchema(schema, {
    [MapperKind.OBJECT_FIELD]: (field, _name, typeName) => {
      if (!unchecked.has(typeName)) return undefined;
      return { ...field, type: isLeafType(getNamedType(field.type)) ? anything : nullable(field.type) };
    },
  });
}

/** Whether unchecked types of a source are checked nevertheless, because another source has them as well. */
export function hasSharedUncheckedTypes(subschema: Subschema, all: readonly Subschema[]): boolean {
  return uncheckedOf(subschema, all).length < (subschema.uncheckedTypes?.size ?? 0);
}

/** The unchecked types of a source. A type that another source has as well keeps its checks. */
function uncheckedOf(subschema: Subschema, all: readonly Subschema[]): readonly string[] {
  const others = all.filter((other) => other !== subschema);
  return [...(subschema.uncheckedTypes ?? [])].filter((name) => !others.some((other) => other.schema.getType(name)));
}

function nullable(type: GraphQLOutputType): GraphQLOutputType {
  const inner = getNullableType(type) as GraphQLOutputType & GraphQLNullableType;
  return isListType(inner) ? new GraphQLList(nullable(inner.ofType)) : inner;
}
