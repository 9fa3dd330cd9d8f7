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
 * What the proposal for incremental delivery adds to section 5 of the specification ("Validation"). The rules hold for every
 * transport, also where the response is complete at once: a document is valid or not, whatever answers it.
 */

/**
 * "Defer And Stream Directive Labels Are Unique": a client finds a payload's fragment by its label, so a label is a constant,
 * and no other directive of the document has it.
 */
function incrementalLabels(context: ValidationContext): ASTVisitor {
  const known = new Map<string, DirectiveNode>();
  return {
    Directive(node) {
      const label = isIncremental(node) ? argumentOf(node, 'label') : undefined;
      // Literals of other types are the errors of another rule.
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

/** "Defer And Stream Directives Are Used On Valid Root Field": root fields of mutations run one after the other. */
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
 * "Defer And Stream Directives Are Used In Valid Operations": an event of a subscription is one payload. A fragment that
 * other operations use too may switch its directives off by a variable.
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
