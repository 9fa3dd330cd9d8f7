import {
  type ASTVisitor,
  type DirectiveNode,
  getNullableType,
  isListType,
  Kind,
  OperationTypeNode,
  type ValidationContext,
  type ValidationRule,
} from 'graphql';
import {
  deferredRootField,
  incrementalSubscription,
  labelNotConstant,
  labelNotUnique,
  streamedFieldIsNoList,
} from '../errors.ts';

/*
 * Rules that the proposal for incremental delivery adds to section 5 of the specification ("Validation"). These rules
 * apply to every transport, even if the response is complete at once: validity does not depend on how the operation is
 * executed.
 */

/**
 * "Defer And Stream Directive Labels Are Unique": clients find a payload's fragment by its label. The label must
 * therefore be a constant that no other directive of the document has.
 */
function incrementalLabels(context: ValidationContext): ASTVisitor {
  const known = new Map<string, DirectiveNode>();
  return {
    Directive(node) {
      const label = isIncremental(node) ? argumentOf(node, 'label') : undefined;
      // Another rule reports literals of other types.
      if (label?.kind === Kind.VARIABLE) context.reportError(labelNotConstant(node));
      if (label?.kind !== Kind.STRING) return;
      const first = known.get(label.value);
      if (first) context.reportError(labelNotUnique([first, node]));
      else known.set(label.value, node);
    },
  };
}

/** "Stream Directives Are Used On List Fields". */
function streamOnLists(context: ValidationContext): ASTVisitor {
  return {
    Field({ directives = [] }) {
      const field = context.getFieldDef();
      if (!field || isListType(getNullableType(field.type))) return;
      const streamed = directives.find(({ name }) => name.value === 'stream');
      if (streamed) context.reportError(streamedFieldIsNoList(streamed, field.name));
    },
  };
}

/** "Defer And Stream Directives Are Used On Valid Root Field": root fields of mutations run one after another. */
function incrementalRootFields(context: ValidationContext): ASTVisitor {
  const schema = context.getSchema();
  return {
    Directive(node) {
      const parent = isIncremental(node) ? context.getParentType() : undefined;
      if (!parent) return;
      if (parent === schema.getMutationType()) context.reportError(deferredRootField(node, 'mutation'));
      else if (parent === schema.getSubscriptionType()) context.reportError(deferredRootField(node, 'subscription'));
    },
  };
}

/**
 * "Defer And Stream Directives Are Used In Valid Operations": an event of a subscription is one payload. A fragment
 * that other operations also use may disable its directives with a variable.
 */
function incrementalSubscriptions(context: ValidationContext): ASTVisitor {
  const used = new Set<string>();
  let isInSubscription = false;
  return {
    Document({ definitions }) {
      for (const definition of definitions)
        if (definition.kind === Kind.OPERATION_DEFINITION && definition.operation === OperationTypeNode.SUBSCRIPTION)
          for (const { name } of context.getRecursivelyReferencedFragments(definition)) used.add(name.value);
    },
    OperationDefinition({ operation }) {
      isInSubscription = operation === OperationTypeNode.SUBSCRIPTION;
    },
    FragmentDefinition({ name }) {
      isInSubscription = used.has(name.value);
    },
    Directive(node) {
      if (isInSubscription && isIncremental(node) && !mayBeOff(node))
        context.reportError(incrementalSubscription(node));
    },
  };
}

function isIncremental({ name }: DirectiveNode): boolean {
  return name.value === 'defer' || name.value === 'stream';
}

function mayBeOff(directive: DirectiveNode): boolean {
  const condition = argumentOf(directive, 'if');
  return condition?.kind === Kind.VARIABLE || (condition?.kind === Kind.BOOLEAN && !condition.value);
}

function argumentOf({ arguments: given = [] }: DirectiveNode, name: string) {
  return given.find((one) => one.name.value === name)?.value;
}

export const INCREMENTAL_RULES: readonly ValidationRule[] = [
  incrementalLabels,
  streamOnLists,
  incrementalRootFields,
  incrementalSubscriptions,
];
