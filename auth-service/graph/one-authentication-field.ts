import {
  type ASTVisitor,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValidationContext,
} from 'graphql';
import { severalAuthenticationFields } from './errors.ts';
import { AUTHENTICATION_FIELDS } from './schema.ts';

/**
 * Allows only one authentication field in an operation, so that one request is one guess at a password. Aliases, fragments,
 * @skip and @include do not circumvent the rule. The gateway has the same rule. Here it applies to callers that bypass the
 * gateway.
 */
export function oneAuthenticationFieldRule(context: ValidationContext): ASTVisitor {
  return {
    OperationDefinition(operation: OperationDefinitionNode) {
      if (countIn(operation.selectionSet, context, new Map()) > 1)
        context.reportError(severalAuthenticationFields(operation));
    },
  };
}

/** `counted` contains the count of each fragment, so that fragments that spread each other cost no more than their text. */
function countIn(selectionSet: SelectionSetNode, context: ValidationContext, counted: Map<string, number>): number {
  let count = 0;
  for (const selection of selectionSet.selections) {
    if (selection.kind === Kind.FIELD) count += AUTHENTICATION_FIELDS.has(selection.name.value) ? 1 : 0;
    else if (selection.kind === Kind.INLINE_FRAGMENT) count += countIn(selection.selectionSet, context, counted);
    else count += countInFragment(selection.name.value, context, counted);
  }
  return count;
}

function countInFragment(name: string, context: ValidationContext, counted: Map<string, number>): number {
  const known = counted.get(name);
  if (known !== undefined) return known;
  // Set before counting: a cycle of fragments adds nothing, and another rule rejects it.
  counted.set(name, 0);
  const fragment = context.getFragment(name);
  const count = fragment ? countIn(fragment.selectionSet, context, counted) : 0;
  counted.set(name, count);
  return count;
}
