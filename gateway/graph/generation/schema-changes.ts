import type { Change } from '@graphql-inspector/core';
import type { GraphQLSchema } from 'graphql';
import { NO_QUERIES_FIELD } from './role-graph.ts';

export interface SchemaChange {
  readonly breaking: boolean;
  readonly message: string;
}

/** A change with the schema coordinate whose clients it affects. */
export interface AffectingChange extends SchemaChange {
  /** The affected schema coordinate. Undefined if no coordinate applies. */
  readonly coordinate: string | undefined;
}

/** The differences between two schemas, breaking changes first. */
export async function schemaChanges(before: GraphQLSchema, after: GraphQLSchema): Promise<readonly SchemaChange[]> {
  return (await affectingChanges(before, after)).map(({ breaking, message }) => ({ breaking, message }));
}

/** The differences between two schemas with the coordinates that they affect. */
export async function affectingChanges(
  before: GraphQLSchema,
  after: GraphQLSchema,
): Promise<readonly AffectingChange[]> {
  // Loaded on demand, because startup and most commands do not compare schemas.
  const { CriticalityLevel, diff } = await import('@graphql-inspector/core');
  const changes = await diff(before, after);
  return breakingFirst(
    changes
      .filter(({ path }) => path !== `Query.${NO_QUERIES_FIELD}`)
      .map((change) => ({
        breaking: change.criticality.level === CriticalityLevel.Breaking,
        message: change.message,
        coordinate: affectedCoordinate(change),
      })),
  );
}

/** Sorts breaking changes first and keeps the order otherwise. */
export function breakingFirst(changes: readonly AffectingChange[]): readonly AffectingChange[] {
  return changes.toSorted((one, two) => Number(two.breaking) - Number(one.breaking));
}

type Meta = Readonly<Record<string, unknown>>;

/**
 * The schema coordinate that a change affects. Clients that do not use it are not affected. A newly required argument
 * or input field affects clients that omit it, so the coordinate is the field or the input type.
 *
 * @returns undefined if no coordinate applies.
 */
function affectedCoordinate({ type, meta }: Pick<Change, 'type' | 'meta'>): string | undefined {
  return AFFECTED[type]?.(meta as Meta);
}

const isNonNullText = (type: unknown) => String(type).endsWith('!');

const AFFECTED: Readonly<Partial<Record<string, (meta: Meta) => string>>> = {
  FIELD_REMOVED: ({ typeName, removedFieldName }) => `${typeName}.${removedFieldName}`,
  FIELD_TYPE_CHANGED: ({ typeName, fieldName }) => `${typeName}.${fieldName}`,
  FIELD_ARGUMENT_ADDED: ({ typeName, fieldName }) => `${typeName}.${fieldName}`,
  FIELD_ARGUMENT_REMOVED: ({ typeName, fieldName, removedFieldArgumentName }) =>
    `${typeName}.${fieldName}(${removedFieldArgumentName}:)`,
  FIELD_ARGUMENT_TYPE_CHANGED: ({ typeName, fieldName, argumentName, newArgumentType }) =>
    isNonNullText(newArgumentType) ? `${typeName}.${fieldName}` : `${typeName}.${fieldName}(${argumentName}:)`,
  INPUT_FIELD_REMOVED: ({ inputName, removedFieldName }) => `${inputName}.${removedFieldName}`,
  INPUT_FIELD_ADDED: ({ inputName }) => `${inputName}`,
  INPUT_FIELD_TYPE_CHANGED: ({ inputName, inputFieldName, newInputFieldType }) =>
    isNonNullText(newInputFieldType) ? `${inputName}` : `${inputName}.${inputFieldName}`,
  ENUM_VALUE_REMOVED: ({ enumName, removedEnumValueName }) => `${enumName}.${removedEnumValueName}`,
  TYPE_REMOVED: ({ removedTypeName }) => `${removedTypeName}`,
  TYPE_KIND_CHANGED: ({ typeName }) => `${typeName}`,
  // Objects of the type lose the fields that clients select through the interface or the union.
  OBJECT_TYPE_INTERFACE_REMOVED: ({ removedInterfaceName }) => `${removedInterfaceName}`,
  UNION_MEMBER_REMOVED: ({ removedUnionMemberTypeName }) => `${removedUnionMemberTypeName}`,
  DIRECTIVE_REMOVED: ({ removedDirectiveName }) => `@${removedDirectiveName}`,
  DIRECTIVE_LOCATION_REMOVED: ({ directiveName }) => `@${directiveName}`,
  DIRECTIVE_ARGUMENT_ADDED: ({ directiveName }) => `@${directiveName}`,
  DIRECTIVE_ARGUMENT_REMOVED: ({ directiveName, removedDirectiveArgumentName }) =>
    `@${directiveName}(${removedDirectiveArgumentName}:)`,
};
