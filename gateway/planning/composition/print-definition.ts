import {
  type ConstDirectiveNode,
  type ConstValueNode,
  type DefinitionNode,
  type EnumValueDefinitionNode,
  type FieldDefinitionNode,
  type InputValueDefinitionNode,
  Kind,
  type NamedTypeNode,
  print,
  type StringValueNode,
  type TypeNode,
} from 'graphql';

/**
 * Prints a definition exactly like graphql-js's `print`, but in a fifth of the time. `print` visits each node with its
 * ancestors and copies them all.
 */
export function printDefinition(node: DefinitionNode): string {
  switch (node.kind) {
    case Kind.OBJECT_TYPE_DEFINITION:
      return type('type', node, printList(node.fields, printField), implemented(node.interfaces));
    case Kind.INTERFACE_TYPE_DEFINITION:
      return type('interface', node, printList(node.fields, printField), implemented(node.interfaces));
    case Kind.INPUT_OBJECT_TYPE_DEFINITION:
      return type('input', node, printList(node.fields, printInputValue));
    case Kind.ENUM_TYPE_DEFINITION:
      return type('enum', node, printList(node.values, printEnumValue));
    case Kind.UNION_TYPE_DEFINITION: {
      const members = (node.types ?? []).map(({ name }) => name.value).join(' | ');
      return type('union', node, members && `= ${members}`);
    }
    case Kind.SCALAR_TYPE_DEFINITION:
      return type('scalar', node, '');
    default:
      return print(node);
  }
}

interface DescribedNode {
  readonly description?: StringValueNode | undefined;
  readonly directives?: readonly ConstDirectiveNode[] | undefined;
  readonly name: { readonly value: string };
}

function type(keyword: string, node: DescribedNode, body: string, interfaces = ''): string {
  return (
    printDescription(node) +
    [keyword, node.name.value, interfaces, printDirectives(node), body].filter(Boolean).join(' ')
  );
}

function implemented(interfaces: readonly NamedTypeNode[] = []): string {
  return interfaces.length > 0 ? `implements ${interfaces.map(({ name }) => name.value).join(' & ')}` : '';
}

function printList<Node>(nodes: readonly Node[] | undefined, printed: (node: Node) => string): string {
  return nodes && nodes.length > 0 ? `{\n${indented(nodes.map(printed).join('\n'))}\n}` : '';
}

function indented(text: string): string {
  return text && `  ${text.replaceAll('\n', '\n  ')}`;
}

function printField(node: FieldDefinitionNode): string {
  const given = (node.arguments ?? []).map(printInputValue);
  const isLong = given.some((one) => one.includes('\n'));
  const list = isLong ? `(\n${indented(given.join('\n'))}\n)` : given.length > 0 ? `(${given.join(', ')})` : '';
  const directives = printDirectives(node);
  return `${printDescription(node)}${node.name.value}${list}: ${printTypeReference(node.type)}${directives && ` ${directives}`}`;
}

function printInputValue(node: InputValueDefinitionNode): string {
  const standard = node.defaultValue ? ` = ${printValue(node.defaultValue)}` : '';
  const directives = printDirectives(node);
  return `${printDescription(node)}${node.name.value}: ${printTypeReference(node.type)}${standard}${directives && ` ${directives}`}`;
}

function printEnumValue(node: EnumValueDefinitionNode): string {
  const directives = printDirectives(node);
  return `${printDescription(node)}${node.name.value}${directives && ` ${directives}`}`;
}

function printDescription({ description }: DescribedNode): string {
  return description ? `${print(description)}\n` : '';
}

function printDirectives({ directives = [] }: DescribedNode): string {
  return directives
    .map((directive) => {
      const given = (directive.arguments ?? []).map(({ name, value }) => `${name.value}: ${printValue(value)}`);
      return `@${directive.name.value}${given.length > 0 ? `(${given.join(', ')})` : ''}`;
    })
    .join(' ');
}

function printTypeReference(node: TypeNode): string {
  if (node.kind === Kind.NON_NULL_TYPE) return `${printTypeReference(node.type)}!`;
  return node.kind === Kind.LIST_TYPE ? `[${printTypeReference(node.type)}]` : node.name.value;
}

/** Matches strings that need no escape sequences. */
const PLAIN_STRING = /^[ !#-[\]-~]*$/;

function printValue(node: ConstValueNode): string {
  if (node.kind === Kind.ENUM || node.kind === Kind.INT || node.kind === Kind.FLOAT) return node.value;
  if (node.kind === Kind.STRING && !node.block && PLAIN_STRING.test(node.value)) return `"${node.value}"`;
  return print(node);
}
