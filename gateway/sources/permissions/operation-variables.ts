import { type DocumentNode, Kind, type VariableDefinitionNode, visit } from 'graphql';

export function declaredVariables({ definitions }: DocumentNode): readonly VariableDefinitionNode[] {
  return definitions.flatMap((definition) =>
    definition.kind === Kind.OPERATION_DEFINITION ? (definition.variableDefinitions ?? []) : [],
  );
}

/** Of the names of variables, those that neither operations nor fragments use. */
export function unusedVariables(names: ReadonlySet<string>, document: DocumentNode): ReadonlySet<string> {
  if (names.size === 0) return names;
  const used = new Set<string>();
  visit(document, { VariableDefinition: () => false, Variable: ({ name }) => void used.add(name.value) });
  return new Set([...names].filter((name) => !used.has(name)));
}
