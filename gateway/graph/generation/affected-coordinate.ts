import type { Change } from '@graphql-inspector/core';

type Meta = Readonly<Record<string, unknown>>;

/**
 * The schema coordinate whose use a change affects: clients that do not use it are not affected. An argument or input
 * field that becomes required affects those who leave it out, so all who use the field or the input type.
 *
 * @returns undefined where no coordinate tells whom the change affects.
 */
export function affectedCoordinate({ type, meta }: Pick<Change, 'type' | 'meta'>): string | undefined {
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
