import {
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
  visit,
} from 'graphql';
import type { Fragments } from './sub-operation.ts';

type Variables = Readonly<Record<string, unknown>>;

/**
 * The root fields of one run of an operation, through fragments, by response key and in response order: those that
 * `@skip` and `@include` leave (GraphQL section 6.3.2).
 */
export function rootFieldsAtRun(
  operation: OperationDefinitionNode,
  fragments: Fragments,
  variables: Variables,
): ReadonlyMap<string, readonly FieldNode[]> {
  const fields = new Map<string, FieldNode[]>();
  const seen = new Set<string>();
  const collect = ({ selections }: SelectionSetNode): void => {
    for (const selection of selections) {
      if (!isLeft(selection, operation, variables)) continue;
      if (selection.kind === Kind.INLINE_FRAGMENT) collect(selection.selectionSet);
      else if (selection.kind === Kind.FIELD) {
        const key = selection.alias?.value ?? selection.name.value;
        const nodes = fields.get(key);
        if (nodes) nodes.push(selection);
        else fields.set(key, [selection]);
      } else if (!seen.has(selection.name.value)) {
        seen.add(selection.name.value);
        const fragment = fragments.get(selection.name.value);
        if (fragment) collect(fragment.selectionSet);
      }
    }
  };
  collect(operation.selectionSet);
  return fields;
}

/** Whether any root field is there whatever the variables are. */
export function hasUnconditionalField(operation: OperationDefinitionNode, fragments: Fragments): boolean {
  const seen = new Set<string>();
  const isThere = (selection: SelectionNode): boolean => {
    if (selection.directives?.some(isCondition)) return false;
    if (selection.kind === Kind.FIELD) return true;
    if (selection.kind === Kind.INLINE_FRAGMENT) return selection.selectionSet.selections.some(isThere);
    const fragment = fragments.get(selection.name.value);
    if (!fragment || seen.has(selection.name.value)) return false;
    seen.add(selection.name.value);
    return fragment.selectionSet.selections.some(isThere);
  };
  return operation.selectionSet.selections.some(isThere);
}

/** Whether a directive decides if a selection is there at all. */
export function isCondition({ name }: DirectiveNode): boolean {
  return name.value === 'skip' || name.value === 'include';
}

/** The variables that `@skip` and `@include` depend on. */
export function conditionVariables(document: DocumentNode): readonly string[] {
  const names = new Set<string>();
  visit(document, {
    Directive: (node) => {
      const condition = isCondition(node) ? node.arguments?.[0]?.value : undefined;
      if (condition?.kind === Kind.VARIABLE) names.add(condition.name.value);
    },
  });
  return [...names];
}

/** Whether `@skip` and `@include` leave a selection. */
export function isLeft(
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
