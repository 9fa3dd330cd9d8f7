import {
  type ASTNode,
  type FieldNode,
  type InlineFragmentNode,
  type InterfaceTypeDefinitionNode,
  type InterfaceTypeExtensionNode,
  Kind,
  type NameNode,
  type ObjectTypeDefinitionNode,
  type ObjectTypeExtensionNode,
  type SelectionNode,
  type TypeNode,
} from 'graphql';

export const TYPENAME_FIELD: FieldNode = { kind: Kind.FIELD, name: nameNode('__typename') };

export function nameNode(value: string): NameNode {
  return { kind: Kind.NAME, value };
}

/** `... on type { selections }` */
export function fragmentNode(type: string, selections: readonly SelectionNode[]): InlineFragmentNode {
  return {
    kind: Kind.INLINE_FRAGMENT,
    typeCondition: { kind: Kind.NAMED_TYPE, name: nameNode(type) },
    selectionSet: { kind: Kind.SELECTION_SET, selections },
  };
}

/** The name of a type without list and non-null wrappers. */
export function innermostTypeName(type: TypeNode): string {
  return type.kind === Kind.NAMED_TYPE ? type.name.value : innermostTypeName(type.type);
}

/** The definition or extension of an object type or interface. */
export type TypeWithFields =
  | ObjectTypeDefinitionNode
  | ObjectTypeExtensionNode
  | InterfaceTypeDefinitionNode
  | InterfaceTypeExtensionNode;

export function hasFields(node: ASTNode): node is TypeWithFields {
  const { kind } = node;
  return (
    kind === Kind.OBJECT_TYPE_DEFINITION ||
    kind === Kind.OBJECT_TYPE_EXTENSION ||
    kind === Kind.INTERFACE_TYPE_DEFINITION ||
    kind === Kind.INTERFACE_TYPE_EXTENSION
  );
}

/** The text of a type in SDL. */
export function typeText(type: TypeNode): string {
  if (type.kind === Kind.NON_NULL_TYPE) return `${typeText(type.type)}!`;
  return type.kind === Kind.LIST_TYPE ? `[${typeText(type.type)}]` : type.name.value;
}
