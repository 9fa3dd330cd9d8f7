import {
  type GraphQLAbstractType,
  GraphQLError,
  type GraphQLObjectType,
  type GraphQLSchema,
  isAbstractType,
  isIntrospectionType,
} from 'graphql';
import { isJsonObject } from '../../../../platform/index.ts';

/** The extension of an interface or union with its possible types by name. */
const POSSIBLE_TYPES = Symbol('possible types');

type PossibleTypes = ReadonlyMap<string, GraphQLObjectType>;

/** Makes the interfaces and unions of a schema resolve their values by the `__typename` of a webhook's response. */
export function resolveAbstractTypes(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isAbstractType(type) || isIntrospectionType(type)) continue;
    const possible: PossibleTypes = new Map(schema.getPossibleTypes(type).map((one) => [one.name, one]));
    type.extensions = { ...type.extensions, [POSSIBLE_TYPES]: possible };
    type.resolveType = (value) => {
      const found = typeOfValue(value, type);
      if ('problem' in found) throw new GraphQLError(found.problem, { extensions: { path: '$', code: 'unexpected' } });
      return found.type.name;
    };
  }
  return schema;
}

/**
 * Returns the object type of a webhook's value by its `__typename`, or the problem. The problem does not repeat the
 * name, which the webhook decides.
 */
export function typeOfValue(
  value: unknown,
  type: GraphQLAbstractType,
): { readonly type: GraphQLObjectType } | { readonly problem: string } {
  if (!isJsonObject(value))
    return { problem: `expecting an object with "__typename" for a value of type ${type.name}` };
  const name = Object.hasOwn(value, '__typename') ? value.__typename : undefined;
  if (name === undefined || name === null)
    return { problem: `"__typename" expected in webhook response for a value of type ${type.name}, but not found` };
  const possible = type.extensions[POSSIBLE_TYPES as unknown as string] as PossibleTypes | undefined;
  const found = typeof name === 'string' ? possible?.get(name) : undefined;
  return found
    ? { type: found }
    : { problem: `"__typename" in webhook response is not one of the types of ${type.name}` };
}
