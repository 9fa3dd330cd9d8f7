import { type GraphQLSchema, isInterfaceType, isObjectType } from 'graphql';
import type { FieldConditions, SessionCondition } from '../../access/variables/index.ts';
import { operationOfRootType, rootTypeNameIn } from '../../graphql/schemas/index.ts';
import type { RemoteSchemaMetadata } from '../../metadata/index.ts';

type WrittenConditions = NonNullable<RemoteSchemaMetadata['permissions']>[number]['session_conditions'];

/**
 * Reads the session conditions of a role's permission.
 *
 * @param part the permission's schema, in which root types may have other names than in the source.
 * @returns the conditions in the source's names. Undefined if there are none.
 */
export function permittedConditions(
  written: WrittenConditions,
  part: GraphQLSchema,
  source: GraphQLSchema,
): FieldConditions | undefined {
  const conditions = new Map<string, readonly SessionCondition[]>();
  for (const { fields, condition } of written ?? [])
    for (const coordinate of fields) {
      const [type = '', field = ''] = coordinate.split('.');
      const key = `${rootTypeNameIn(type, part, source) ?? type}.${field}`;
      conditions.set(key, [...(conditions.get(key) ?? []), condition]);
    }
  return conditions.size > 0 ? conditions : undefined;
}

/** The names of a source in the graph, as a customization defines them. */
interface GraphNames {
  readonly schema: GraphQLSchema;
  readonly namespace: string | undefined;
  /** The source's names of renamed types, by their name in the graph. */
  readonly types: ReadonlyMap<string, string>;
  /** The source's names of renamed fields, by `Type.field` in the graph. */
  readonly fields: ReadonlyMap<string, string>;
}

/** Converts conditions from the source's names to the graph's. */
export function conditionsInGraph(
  conditions: FieldConditions | undefined,
  { schema, namespace, types, fields }: GraphNames,
): FieldConditions | undefined {
  if (!conditions) return undefined;
  const renamed = new Map<string, readonly SessionCondition[]>();
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) && !isInterfaceType(type)) continue;
    // With a namespace, the root types of the graph contain only the namespace.
    if (namespace !== undefined && operationOfRootType(type.name, schema)) continue;
    for (const field of Object.keys(type.getFields())) {
      const coordinate = `${type.name}.${field}`;
      const found = conditions.get(`${types.get(type.name) ?? type.name}.${fields.get(coordinate) ?? field}`);
      if (found) renamed.set(coordinate, found);
    }
  }
  return renamed.size > 0 ? renamed : undefined;
}
