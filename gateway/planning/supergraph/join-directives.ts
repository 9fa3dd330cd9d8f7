import {
  type ConstDirectiveNode,
  type DocumentNode,
  type FieldNode,
  Kind,
  parse,
  type SelectionNode,
  type ValueNode,
} from 'graphql';
import { valueText } from '../../graphql/syntax/index.ts';

/** Names of subgraphs, by their values of `enum join__Graph`. */
export function graphNames(supergraph: DocumentNode): Map<string, string> {
  const names = new Map<string, string>();
  for (const definition of supergraph.definitions) {
    if (definition.kind !== Kind.ENUM_TYPE_DEFINITION || definition.name.value !== 'join__Graph') continue;
    for (const value of definition.values ?? []) {
      const graph = value.directives?.find((directive) => directive.name.value === 'join__graph');
      names.set(value.name.value, (graph && directiveArgument(graph, 'name')) ?? value.name.value);
    }
  }
  return names;
}

/** The value of a directive's argument if it is a string or an enum value. */
export function directiveArgument(directive: ConstDirectiveNode, name: string): string | undefined {
  const value = directive.arguments?.find((one) => one.name.value === name)?.value;
  return value?.kind === Kind.ENUM || value?.kind === Kind.STRING ? value.value : undefined;
}

/** Whether a directive's argument is true. */
export function hasTrueArgument({ arguments: given }: ConstDirectiveNode, name: string): boolean {
  const value = given?.find((one) => one.name.value === name)?.value;
  return value?.kind === Kind.BOOLEAN && value.value;
}

/** The selections of a field set, such as a key. */
export function parseFieldSet(text: string): readonly SelectionNode[] {
  const [definition] = parse(`{ ${text} }`, { noLocation: true }).definitions;
  return definition?.kind === Kind.OPERATION_DEFINITION ? definition.selectionSet.selections : [];
}

/** The names of the fields in selections, without nested fields. */
export function fieldNamesOf(selections: readonly SelectionNode[]): string[] {
  return selections.flatMap((one) => (one.kind === Kind.FIELD ? [one.name.value] : []));
}

/** The texts of the fields that a join requires, at any depth. See `fieldText`. */
export function requiredFieldsOf(join: ConstDirectiveNode): readonly string[] {
  const text = directiveArgument(join, 'requires');
  const textsOf = (selections: readonly SelectionNode[]): readonly string[] =>
    selections.flatMap((one) => {
      if (one.kind === Kind.FRAGMENT_SPREAD) return [];
      const below = textsOf(one.selectionSet?.selections ?? []);
      return one.kind === Kind.FIELD ? [fieldText(one), ...below] : below;
    });
  return text === undefined ? [] : textsOf(parseFieldSet(text));
}

/**
 * The text of a field with its arguments and without its alias. Equal for fields that may be merged (GraphQL 5.3.2).
 */
export function fieldText({ name, arguments: given = [] }: FieldNode): string {
  if (given.length === 0) return name.value;
  const texts = given.map((one) => `${one.name.value}:${sortedText(one.value)}`);
  return `${name.value}(${texts.sort().join(' ')})`;
}

/** Prints a value with sorted object fields, since these have no order. */
function sortedText(value: ValueNode): string {
  if (value.kind !== Kind.OBJECT) return valueText(value, sortedText);
  const fields = value.fields.toSorted((one, other) => (one.name.value < other.name.value ? -1 : 1));
  return valueText({ ...value, fields }, sortedText);
}
