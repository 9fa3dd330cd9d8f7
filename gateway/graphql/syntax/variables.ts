import { type DirectiveNode, Kind, type SelectionNode, type ValueNode, type VariableDefinitionNode } from 'graphql';

/** The values of an operation's variables, by name (GraphQL 6.1.2). */
export type Variables = Readonly<Record<string, unknown>>;

/**
 * The definitions of the variables that selections use, found in one pass. The selections contain no fragment spreads.
 */
export function usedVariables(
  definitions: readonly VariableDefinitionNode[],
  selections: readonly SelectionNode[],
): readonly VariableDefinitionNode[] {
  if (definitions.length === 0) return definitions;
  const used = new Set<string>();
  const seen = new Set<SelectionNode>();
  const inValue = (value: ValueNode): void => {
    if (value.kind === Kind.VARIABLE) used.add(value.name.value);
    else if (value.kind === Kind.LIST) value.values.forEach(inValue);
    else if (value.kind === Kind.OBJECT) for (const field of value.fields) inValue(field.value);
  };
  const inArguments = (given: DirectiveNode['arguments']): void => {
    for (const { value } of given ?? []) inValue(value);
  };
  const inSelections = (some: readonly SelectionNode[]): void => {
    for (const selection of some) {
      // The same node may occur in many places.
      if (seen.has(selection)) continue;
      seen.add(selection);
      for (const directive of selection.directives ?? []) inArguments(directive.arguments);
      if (selection.kind === Kind.FIELD) inArguments(selection.arguments);
      if (selection.kind !== Kind.FRAGMENT_SPREAD && selection.selectionSet)
        inSelections(selection.selectionSet.selections);
    }
  };
  inSelections(selections);
  return definitions.filter(({ variable }) => used.has(variable.name.value));
}
