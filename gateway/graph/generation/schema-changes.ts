import type { Change } from '@graphql-inspector/core';
import type { GraphQLSchema } from 'graphql';
import { NO_QUERIES_FIELD } from './role-graph.ts';

export interface SchemaChange {
  readonly breaking: boolean;
  readonly message: string;
}

/** A change with the schema coordinate whose users it affects. */
export interface AffectingChange extends SchemaChange {
  /** The schema coordinate that they use; undefined where none tells. */
  readonly coordinate: string | undefined;
}

/** The differences between two schemas, the breaking changes first. */
export async function schemaChanges(before: GraphQLSchema, after: GraphQLSchema): Promise<readonly SchemaChange[]> {
  return (await affectingChanges(before, after)).map(({ breaking, message }) => ({ breaking, message }));
}

/** The changes, each with the coordinate that it affects. */
export async function affectingChanges(
  before: GraphQLSchema,
  after: GraphQLSchema,
): Promise<readonly AffectingChange[]> {
  // Loaded when there is something to compare: a start and most commands need it not.
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

/** In the same order otherwise. */
export function breakingFirst(changes: readonly AffectingChange[]): readonly AffectingChange[] {
  return changes.toSorted((one, two) => Number(two.breaking) - Number(one.breaking));
}

type Meta = Readonly<Record<string, unknown>>;

/**
 * The schema coordinate whose use a change affects: clients that do not use it are not affected. An argument or input
 * field that becomes required affects those who leave it out, so all who use the field or the input type.
 *
 * @returns undefined where no coordinate tells whom the change affects.
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
  // What is selected on the interface or of the member is what an object of that type loses.
  OBJECT_TYPE_INTERFACE_REMOVED: ({ removedInterfaceName }) => `${removedInterfaceName}`,
  UNION_MEMBER_REMOVED: ({ removedUnionMemberTypeName }) => `${removedUnionMemberTypeName}`,
  DIRECTIVE_REMOVED: ({ removedDirectiveName }) => `@${removedDirectiveName}`,
  DIRECTIVE_LOCATION_REMOVED: ({ directiveName }) => `@${directiveName}`,
  DIRECTIVE_ARGUMENT_ADDED: ({ directiveName }) => `@${directiveName}`,
  DIRECTIVE_ARGUMENT_REMOVED: ({ directiveName, removedDirectiveArgumentName }) =>
    `@${directiveName}(${removedDirectiveArgumentName}:)`,
};
