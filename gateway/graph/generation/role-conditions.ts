import { type GraphQLSchema, getNamedType, isInterfaceType, isObjectType } from 'graphql';
import type { FieldConditions, SessionCondition } from '../../access/variables/index.ts';
import { rootTypeNameIn } from '../../graphql/schemas/index.ts';
import type { Subschema } from '../../sources/index.ts';
import type { Relationship } from '../relationships/index.ts';

/** The inputs of `roleConditions`. */
export interface RoleConditionsParts {
  /** The role's schema with the names that clients see. */
  readonly schema: GraphQLSchema;
  /** The role's schema with the names that the subschemas use. */
  readonly internal: GraphQLSchema;
  readonly subschemas: readonly Pick<Subschema, 'schema' | 'visible' | 'sessionConditions'>[];
  readonly relationships: readonly Relationship[];
}

/**
 * Collects the conditions of all fields that a role may select, by `Type.field` in the names that clients see:
 *
 * - If several sources state conditions of a field, all of them must hold.
 * - A condition of an interface's field applies to the field in all types that implement the interface.
 * - A field of an interface has the conditions of this field in all implementing types, since any of them may be returned.
 * - A relationship has the conditions of the fields that it fetches.
 *
 * @returns undefined if no field has a condition.
 */
export function roleConditions(parts: RoleConditionsParts): FieldConditions | undefined {
  const { schema, internal, subschemas, relationships } = parts;
  const table = new ConditionTable();
  for (const subschema of subschemas)
    for (const [coordinate, conditions] of subschema.sessionConditions ?? []) {
      const [type = '', field = ''] = coordinate.split('.');
      table.add(internalTypeName(type, subschema, internal), field, conditions);
    }
  if (table.isEmpty) return undefined;
  addImplementations(table, internal);
  for (const relationship of relationships) addRelationship(table, relationship, internal);
  return table.renamed((type) => rootTypeNameIn(type, internal, schema) ?? type);
}

/** Collects conditions by field. Equal conditions of a field are kept once. */
class ConditionTable {
  readonly #conditions = new Map<string, Set<SessionCondition>>();

  get isEmpty(): boolean {
    return this.#conditions.size === 0;
  }

  add(type: string, field: string, conditions: Iterable<SessionCondition>): void {
    const key = `${type}.${field}`;
    const all = this.#conditions.get(key) ?? new Set();
    for (const condition of conditions) all.add(condition);
    if (all.size > 0) this.#conditions.set(key, all);
  }

  of(type: string, field: string): Iterable<SessionCondition> {
    return this.#conditions.get(`${type}.${field}`) ?? [];
  }

  /** The type, the field and the conditions of each entry so far. */
  entries(): readonly (readonly [type: string, field: string, conditions: Iterable<SessionCondition>])[] {
    return [...this.#conditions].map(([key, conditions]) => {
      const [type = '', field = ''] = key.split('.');
      return [type, field, conditions];
    });
  }

  renamed(nameOf: (type: string) => string): FieldConditions {
    return new Map(
      this.entries().map(([type, field, conditions]) => [`${nameOf(type)}.${field}`, [...conditions]] as const),
    );
  }
}

function addImplementations(table: ConditionTable, internal: GraphQLSchema): void {
  for (const [name, field, conditions] of table.entries()) {
    const type = internal.getType(name);
    if (!isInterfaceType(type)) continue;
    const { objects, interfaces } = internal.getImplementations(type);
    for (const one of [...objects, ...interfaces]) table.add(one.name, field, conditions);
  }
  for (const [name, field, conditions] of table.entries()) {
    const type = internal.getType(name);
    if (!isObjectType(type) && !isInterfaceType(type)) continue;
    for (const one of type.getInterfaces())
      if (Object.hasOwn(one.getFields(), field)) table.add(one.name, field, conditions);
  }
}

function addRelationship(table: ConditionTable, { type, name, steps }: Relationship, internal: GraphQLSchema): void {
  let parent: unknown = internal.getQueryType();
  for (const { field } of steps) {
    if (!isObjectType(parent)) return;
    table.add(type, name, table.of(parent.name, field));
    const definition = parent.getFields()[field];
    parent = definition && getNamedType(definition.type);
  }
}

/** The roots of a subschema may have names of their own. */
function internalTypeName(
  type: string,
  { schema, visible = schema }: Pick<Subschema, 'schema' | 'visible'>,
  internal: GraphQLSchema,
): string {
  return (
    rootTypeNameIn(type, visible, internal) ??
    (visible === schema ? undefined : rootTypeNameIn(type, schema, internal)) ??
    type
  );
}
