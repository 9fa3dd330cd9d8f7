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
    const holds = conditionValue(directive, operation, variables) === true;
    return directive.name.value === 'skip' ? !holds : holds;
  });
}

/** The value of `if` in `@skip` or `@include`. Undefined for null in place of a boolean. */
export function conditionValue(
  { arguments: given }: DirectiveNode,
  operation: OperationDefinitionNode,
  variables: Variables,
): boolean | undefined {
  const condition = given?.find((argument) => argument.name.value === 'if')?.value;
  if (condition?.kind === Kind.BOOLEAN) return condition.value;
  return condition?.kind === Kind.VARIABLE ? variableOf(condition.name.value, operation, variables) : undefined;
}

function variableOf(
  name: string,
  { variableDefinitions }: OperationDefinitionNode,
  variables: Variables,
): boolean | undefined {
  if (Object.hasOwn(variables, name)) {
    const value = variables[name];
    return typeof value === 'boolean' ? value : undefined;
  }
  const fallback = variableDefinitions?.find(({ variable }) => variable.name.value === name)?.defaultValue;
  return fallback?.kind === Kind.BOOLEAN ? fallback.value : undefined;
}
