import {
  type ASTVisitor,
  type FragmentDefinitionNode,
  GraphQLError,
  Kind,
  type SelectionSetNode,
  type ValidationContext,
} from 'graphql';
import { isIntrospectionField } from '../syntax/index.ts';

/**
 * Fields of `__Type` that return lists of types or fields, which may have such lists again. Each level multiplies the
 * response.
 */
const LISTS = new Set(['fields', 'interfaces', 'possibleTypes', 'inputFields']);
const MAX_LISTS_DEPTH = 3;

/**
 * A validation rule that limits the nesting of lists in introspection, such as `fields` of the types of `fields`. The
 * rule replaces graphql-js's `MaxIntrospectionDepthRule` and has the same limit and message. graphql-js visits a
 * fragment each time it is spread. With 40 fragments that each spread the next one twice, that takes hours.
 */
export function introspectionDepth(context: ValidationContext): ASTVisitor {
  const ofFragments = new Map<FragmentDefinitionNode, number>();

  function depthOf({ selections }: SelectionSetNode): number {
    let most = 0;
    for (const selection of selections) {
      if (selection.kind === Kind.FRAGMENT_SPREAD) {
        const fragment = context.getFragment(selection.name.value);
        if (fragment) most = Math.max(most, depthOfFragment(fragment));
      } else if (selection.selectionSet) {
        const isList = selection.kind === Kind.FIELD && LISTS.has(selection.name.value);
        most = Math.max(most, depthOf(selection.selectionSet) + (isList ? 1 : 0));
      }
    }
    return most;
  }

  function depthOfFragment(fragment: FragmentDefinitionNode): number {
    const known = ofFragments.get(fragment);
    if (known !== undefined) return known;
    // A fragment that spreads itself ends here. Another rule rejects it.
    ofFragments.set(fragment, 0);
    const depth = depthOf(fragment.selectionSet);
    ofFragments.set(fragment, depth);
    return depth;
  }

  return {
    Field(node) {
      if (!isIntrospectionField(node.name.value)) return undefined;
      if (node.selectionSet && depthOf(node.selectionSet) >= MAX_LISTS_DEPTH)
        context.reportError(new GraphQLError('Maximum introspection depth exceeded', { nodes: node }));
      return false;
    },
  };
}
