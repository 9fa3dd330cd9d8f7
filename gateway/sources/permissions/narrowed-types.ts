import { type GraphQLSchema, isAbstractType, isEnumType, isIntrospectionType } from 'graphql';

/**
 * The types of which a role sees less than the source may return: unions and interfaces without some object types, and
 * enums without some values.
 */
export interface NarrowedTypes {
  /** The object types that the role sees, by union or interface. */
  readonly objects: ReadonlyMap<string, ReadonlySet<string>>;
  /** The values that the role sees, by enum. */
  readonly values: ReadonlyMap<string, ReadonlySet<string>>;
}

/** @returns undefined if the source cannot return anything for an operation on the part that is not in the part. */
export function narrowedTypes(part: GraphQLSchema, upstream: GraphQLSchema): NarrowedTypes | undefined {
  if (part === upstream) return undefined;
  const objects = new Map<string, ReadonlySet<string>>();
  const values = new Map<string, ReadonlySet<string>>();
  for (const type of Object.values(part.getTypeMap())) {
    if (isIntrospectionType(type)) continue;
    const whole = upstream.getType(type.name);
    if (isAbstractType(type) && isAbstractType(whole)) {
      const possible = part.getPossibleTypes(type);
      if (possible.length < upstream.getPossibleTypes(whole).length)
        objects.set(type.name, new Set(possible.map(({ name }) => name)));
    } else if (isEnumType(type) && isEnumType(whole) && type.getValues().length < whole.getValues().length)
      values.set(type.name, new Set(type.getValues().map(({ name }) => name)));
  }
  return objects.size > 0 || values.size > 0 ? { objects, values } : undefined;
}
