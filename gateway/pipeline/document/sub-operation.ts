import {
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
  visit,
} from 'graphql';
import type { Fragments } from '../../graphql/syntax/index.ts';
import type { OperationDocument } from '../../sources/index.ts';

/** Creates a document from an operation and the fragments that it uses. Other definitions are left out. */
export function withFragments(operation: OperationDefinitionNode, fragments: Fragments): OperationDocument {
  const used = new Map<string, FragmentDefinitionNode>();
  const collect = (node: OperationDefinitionNode | FragmentDefinitionNode): void => {
    visit(node, {
      FragmentSpread({ name }) {
        const fragment = fragments.get(name.value);
        if (!fragment || used.has(name.value)) return;
        used.set(name.value, fragment);
        collect(fragment);
      },
    });
  };
  collect(operation);
  return { document: { kind: Kind.DOCUMENT, definitions: [operation, ...used.values()] }, operation };
}

/**
 * Creates an operation with the chosen root fields and the variables and fragments that they use. Fragments at the root
 * are inlined once, so a fragment that is spread several times must have no conditions.
 */
export function subOperation(
  operation: OperationDefinitionNode,
  fragments: Fragments,
  isWanted: (field: FieldNode) => boolean,
): OperationDocument {
  const seen = new Set<string>();
  const filtered = ({ selections }: SelectionSetNode): readonly SelectionNode[] =>
    selections.flatMap((selection): readonly SelectionNode[] => {
      if (selection.kind === Kind.FIELD) return isWanted(selection) ? [selection] : [];
      if (selection.kind === Kind.FRAGMENT_SPREAD) {
        if (seen.has(selection.name.value)) return [];
        seen.add(selection.name.value);
      }
      const inner = selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments.get(selection.name.value);
      const kept = inner ? filtered(inner.selectionSet) : [];
      if (kept.length === 0 || !selection.directives || selection.directives.length === 0) return kept;
      const selectionSet: SelectionSetNode = { kind: Kind.SELECTION_SET, selections: kept };
      return [{ kind: Kind.INLINE_FRAGMENT, directives: selection.directives, selectionSet }];
    });
  const selectionSet: SelectionSetNode = { kind: Kind.SELECTION_SET, selections: filtered(operation.selectionSet) };
  const whole = withFragments({ ...operation, selectionSet }, fragments);
  const used = new Set<string>();
  for (const { selectionSet: set } of whole.document.definitions as readonly { selectionSet: SelectionSetNode }[])
    visit(set, { Variable: ({ name }) => void used.add(name.value) });
  const variableDefinitions = (operation.variableDefinitions ?? []).filter(({ variable }) =>
    used.has(variable.name.value),
  );
  return withFragments({ ...whole.operation, variableDefinitions }, fragments);
}
