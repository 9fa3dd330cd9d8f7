import { type ConstDirectiveNode, type DocumentNode, Kind, parse, type SelectionNode } from 'graphql';

/** Names of subgraphs by their values of the enum `join__Graph`. */
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

/** The value of a directive's argument that is a string or an enum value. */
export function directiveArgument(directive: ConstDirectiveNode, name: string): string | undefined {
  const value = directive.arguments?.find((one) => one.name.value === name)?.value;
  return value?.kind === Kind.ENUM || value?.kind === Kind.STRING ? value.value : undefined;
}

/** Whether a directive's argument is true. */
export function hasTrueArgument({ arguments: given }: ConstDirectiveNode, name: string): boolean {
  const value = given?.find((one) => one.name.value === name)?.value;
  return value?.kind === Kind.BOOLEAN && value.value;
}

/** The selections of a field set, such as that of a key. */
export function parseFieldSet(text: string): readonly SelectionNode[] {
  const [definition] = parse(`{ ${text} }`, { noLocation: true }).definitions;
  return definition?.kind === Kind.OPERATION_DEFINITION ? definition.selectionSet.selections : [];
}

/** The names of its fields, without those below them. */
export function fieldNamesOf(selections: readonly SelectionNode[]): string[] {
  return selections.flatMap((one) => (one.kind === Kind.FIELD ? [one.name.value] : []));
}
