import { type GraphQLSchema, isAbstractType, isEnumType, isIntrospectionType } from 'graphql';

/**
 * The types of which a role sees less than the source may answer: objects of a type that is left out of a union or an
 * interface, values that are left out of an enum.
 */
export interface NarrowedTypes {
  /** The object types that the role sees there, by unions and interfaces. */
  readonly objects: ReadonlyMap<string, ReadonlySet<string>>;
  /** The values that it sees, by enums. */
  readonly values: ReadonlyMap<string, ReadonlySet<string>>;
}

/** @returns undefined where the source cannot answer an operation of the part with more than the part has. */
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
