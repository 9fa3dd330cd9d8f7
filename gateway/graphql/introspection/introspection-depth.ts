import {
  type ASTVisitor,
  type FragmentDefinitionNode,
  GraphQLError,
  Kind,
  type SelectionSetNode,
  type ValidationContext,
} from 'graphql';
import { isIntrospectionField } from '../syntax/index.ts';

/** Fields of `__Type` that are lists of what has such fields again: each level multiplies the answer. */
const LISTS = new Set(['fields', 'interfaces', 'possibleTypes', 'inputFields']);
const MAX_LISTS_DEPTH = 3;

/**
 * The validation rule that keeps the lists of introspection from being nested too deeply: `fields` of the types of
 * `fields`, and so on. It takes the place of graphql-js's `MaxIntrospectionDepthRule`, with the same limit and the same
 * message: that one goes through a fragment each time that it is spread, so that 40 fragments of which each spreads the
 * next twice keep it busy for hours.
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
    // A fragment within itself ends here; another rule refuses it.
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
