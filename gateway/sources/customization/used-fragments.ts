import { type FragmentDefinitionNode, type OperationDefinitionNode, visit } from 'graphql';
import type { Fragments } from '../../graphql/syntax/index.ts';

/** The fragments that an operation spreads, also through others. */
export function usedFragments(
  operation: OperationDefinitionNode,
  fragments: Fragments,
): readonly FragmentDefinitionNode[] {
  const used = new Map<string, FragmentDefinitionNode>();
  const follow = (node: OperationDefinitionNode | FragmentDefinitionNode): void => {
    visit(node, {
      FragmentSpread: ({ name: { value } }) => {
        const fragment = fragments.get(value);
        if (!fragment || used.has(value)) return;
        used.set(value, fragment);
        follow(fragment);
      },
    });
  };
  follow(operation);
  return [...used.values()];
}
