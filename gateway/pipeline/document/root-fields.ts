import { type FieldNode, Kind, type OperationDefinitionNode, type SelectionNode, type SelectionSetNode } from 'graphql';
import { type Fragments, isCondition, isSelectionIncluded, type Variables } from '../../graphql/syntax/index.ts';

/**
 * The root fields that one run of an operation executes, including those in fragments, by response key and in response
 * order. `@skip` and `@include` are applied (GraphQL section 6.3.2).
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
      if (!isSelectionIncluded(selection, operation, variables)) continue;
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

/** Whether any root field is included whatever the variables are. */
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
