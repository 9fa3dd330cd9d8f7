import { type DirectiveNode, Kind, type OperationDefinitionNode, type SelectionNode } from 'graphql';
import type { Variables } from './variables.ts';

/** Whether a directive decides if a selection is included. */
export function isCondition({ name }: DirectiveNode): boolean {
  return name.value === 'skip' || name.value === 'include';
}

/** Whether `@skip` and `@include` keep a selection. */
export function isSelectionIncluded(
  { directives }: SelectionNode,
  operation: OperationDefinitionNode,
  variables: Variables,
): boolean {
  return (directives ?? []).every((directive) => {
    if (!isCondition(directive)) return true;
    const { name, arguments: given } = directive;
    const condition = given?.find((argument) => argument.name.value === 'if')?.value;
    const holds =
      condition?.kind === Kind.VARIABLE
        ? variableOf(condition.name.value, operation, variables)
        : condition?.kind === Kind.BOOLEAN && condition.value;
    return name.value === 'skip' ? !holds : holds;
  });
}

function variableOf(name: string, { variableDefinitions }: OperationDefinitionNode, variables: Variables): boolean {
  if (Object.hasOwn(variables, name)) return variables[name] === true;
  const fallback = variableDefinitions?.find(({ variable }) => variable.name.value === name)?.defaultValue;
  return fallback?.kind === Kind.BOOLEAN && fallback.value;
}
