import {
  type ASTVisitor,
  GraphQLError,
  isInputObjectType,
  isNonNullType,
  Kind,
  MaxIntrospectionDepthRule,
  specifiedRules,
  type ValidationContext,
  type ValidationRule,
  ValuesOfCorrectTypeRule,
  validate,
} from 'graphql';
import type { RoleGraph } from '../../graph/index.ts';
import { introspectionDepth } from '../../graphql/introspection/index.ts';
import type { Document } from '../document/index.ts';
import { DocumentFact } from '../document/index.ts';
import { noRootType, severalAuthenticationFieldsIn } from '../errors.ts';
import type { Access } from './access.ts';
import { INCREMENTAL_RULES } from './incremental-directives.ts';
import { MAX_ERRORS } from './variables.ts';

/** Validation errors by graph. */
const VALIDATION_ERRORS = new DocumentFact(() => new Map<RoleGraph, readonly GraphQLError[]>());

/** Validates a document against a role's graph once. @returns no errors if the document is valid. */
export function validationErrors(document: Document, graph: RoleGraph): readonly GraphQLError[] {
  const byGraph = VALIDATION_ERRORS.of(document);
  const known = byGraph.get(graph);
  if (known) return known;
  const errors = validate(graph.accepted, document.node, RULES, { maxErrors: MAX_ERRORS });
  byGraph.set(graph, errors);
  return errors;
}

/** The gateway's own rules, which replace those of graphql-js. */
const REPLACED_RULES = new Map<ValidationRule, ValidationRule>([
  [ValuesOfCorrectTypeRule, valuesOfCorrectType],
  [MaxIntrospectionDepthRule, introspectionDepth],
]);
const RULES = [
  ...specifiedRules.map((rule) => REPLACED_RULES.get(rule) ?? rule),
  rootTypeExists,
  oneOfVariables,
  ...INCREMENTAL_RULES,
];

/** Without this rule, graphql-js only detects a missing root type at execution. */
function rootTypeExists(context: ValidationContext): ASTVisitor {
  return {
    OperationDefinition(node) {
      if (node.operation !== 'query' && !context.getSchema().getRootType(node.operation))
        context.reportError(noRootType(node));
    },
  };
}

/**
 * Rejects nullable variables as the value of a `@oneOf` input object (GraphQL September 2025, section 5.8.5). The rule of
 * graphql-js overlooks them if the input object itself is in a non-null position.
 */
function oneOfVariables(context: ValidationContext): ASTVisitor {
  return {
    OperationDefinition(operation) {
      for (const { node, parentType } of context.getRecursiveVariableUsages(operation)) {
        if (!isNonNullType(parentType)) continue;
        const parent: unknown = parentType.ofType;
        if (!isInputObjectType(parent) || !parent.isOneOf) continue;
        const { value: name } = node.name;
        const declared = operation.variableDefinitions?.find(({ variable }) => variable.name.value === name);
        if (!declared || declared.type.kind === Kind.NON_NULL_TYPE) continue;
        const message = `Variable "$${name}" must be non-nullable to be used for OneOf Input Object "${parent.name}".`;
        context.reportError(new GraphQLError(message, { nodes: [declared, node] }));
      }
    },
  };
}

/**
 * Replaces the rule of graphql-js, whose error message repeats a value that does not fit. The value may be a password,
 * so this rule's message only contains the expected type and the kind of literal.
 */
function valuesOfCorrectType(context: ValidationContext): ASTVisitor {
  const quiet: ValidationContext = Object.create(context, {
    reportError: { value: (error: GraphQLError) => context.reportError(withoutValue(error, context)) },
  });
  return ValuesOfCorrectTypeRule(quiet);
}

const LITERALS: Readonly<Record<string, string>> = {
  [Kind.INT]: 'an integer',
  [Kind.FLOAT]: 'a float',
  [Kind.STRING]: 'a string',
  [Kind.BOOLEAN]: 'a boolean',
  [Kind.ENUM]: 'an enum value',
  [Kind.LIST]: 'a list',
  [Kind.NULL]: 'null',
  [Kind.OBJECT]: 'an object',
};

/** Matches messages that only contain names of types and fields. */
const NAMES_ONLY = /^(Field "[\w.]+" (of required type|is not defined by type|must be non-null\.)|OneOf Input Object )/;

/** Matches messages of checks of custom scalars, which never contain the value. */
const UNFULFILLED_CHECK = /^A value of type "\w+" must /;

function withoutValue(error: GraphQLError, context: ValidationContext): GraphQLError {
  const node = error.nodes?.[0];
  if (!node || NAMES_ONLY.test(error.message)) return error;
  if (UNFULFILLED_CHECK.test(error.message)) {
    const argument = context.getArgument();
    const place = argument ? `Argument "${argument.name}" got an invalid value: ` : '';
    return new GraphQLError(place + error.message, { nodes: error.nodes ?? null });
  }
  const found = LITERALS[node.kind] ?? 'something else';
  const message = `Expected value of type "${String(context.getInputType())}", found ${found}.`;
  return new GraphQLError(message, { nodes: error.nodes ?? null });
}

/**
 * Rejects operations with several logins, such as fifty password guesses in one document, behind aliases or fragments.
 *
 * @returns one error for each operation with several authentication fields.
 */
export function severalAuthenticationFields({ crowded }: Access): readonly GraphQLError[] {
  return crowded.map((operation) => severalAuthenticationFieldsIn(operation));
}
