import {
  BREAK,
  type DirectiveNode,
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLDirective,
  type OperationDefinitionNode,
  visit,
} from 'graphql';
import { CACHED_DIRECTIVE, type RoleGraph } from '../../graph/index.ts';
import type { Fragments } from '../../graphql/syntax/index.ts';
import { withFragments } from './sub-operation.ts';

type Definition = OperationDefinitionNode | FragmentDefinitionNode;

/** An operation with the fragments of its document. */
export interface WholeOperation {
  readonly operation: OperationDefinitionNode;
  readonly fragments: Fragments;
}

/** Removes `@cached`, which is not sent to services, unless a service defines a directive of that name itself. */
export function withoutCaching(
  operation: OperationDefinitionNode,
  fragments: Fragments,
  { schema }: RoleGraph,
): OperationDefinitionNode {
  const isCached = ({ name }: DirectiveNode) => name.value === CACHED_DIRECTIVE.name;
  if (!operation.directives?.some(isCached) || schema.getDirective(CACHED_DIRECTIVE.name)) return operation;
  return withoutChosenDirectives({ operation, fragments }, isCached).operation;
}

/**
 * Removes `@defer` and `@stream`, so that the response is complete at once. Services that do not support them must not
 * receive them or variables that only they use.
 */
export function withoutIncrementalDirectives(operation: OperationDefinitionNode, fragments: Fragments): WholeOperation {
  return withoutChosenDirectives({ operation, fragments }, isIncremental);
}

/**
 * Keeps only those `@defer` and `@stream` directives that a service supports, including their arguments. Returns
 * undefined if none are left.
 */
export function withIncrementalDirectives(
  whole: WholeOperation,
  known: readonly GraphQLDirective[],
): WholeOperation | undefined {
  const isKnown = ({ name, arguments: given = [] }: DirectiveNode) => {
    const directive = known.find((one) => one.name === name.value);
    return directive !== undefined && given.every((one) => directive.args.some((arg) => arg.name === one.name.value));
  };
  const left = withoutChosenDirectives(whole, (directive) => isIncremental(directive) && !isKnown(directive));
  return definitionsOf(left).some((definition) => containsDirective(definition, isIncremental)) ? left : undefined;
}

type Choice = (directive: DirectiveNode) => boolean;

function definitionsOf({ operation, fragments }: WholeOperation): readonly Definition[] {
  return [operation, ...fragments.values()];
}

/** Removes the chosen directives and the variables that only they use. */
function withoutChosenDirectives(from: WholeOperation, isChosen: Choice): WholeOperation {
  if (!definitionsOf(from).some((definition) => containsDirective(definition, isChosen))) return from;
  const { operation, fragments } = from;
  const removed = new Set<string>();
  const left = new Set<string>();
  const stripped = <T extends Definition>(definition: T): T =>
    visit(definition, {
      Directive: (directive) => {
        if (!isChosen(directive)) return undefined;
        collectVariables(directive, removed);
        return null;
      },
    });
  const whole = stripped(operation);
  const others = new Map([...fragments].map(([name, fragment]) => [name, stripped(fragment)]));
  collectVariables(withFragments({ ...whole, variableDefinitions: [] }, others).document, left);
  const variableDefinitions = (whole.variableDefinitions ?? []).filter(
    ({ variable: { name } }) => left.has(name.value) || !removed.has(name.value),
  );
  return { operation: { ...whole, variableDefinitions }, fragments: others };
}

function containsDirective(definition: Definition, isChosen: Choice): boolean {
  let isFound = false;
  visit(definition, {
    Directive: (directive) => {
      if (!isChosen(directive)) return undefined;
      isFound = true;
      return BREAK;
    },
  });
  return isFound;
}

function isIncremental({ name }: DirectiveNode): boolean {
  return name.value === 'defer' || name.value === 'stream';
}

function collectVariables(node: DocumentNode | DirectiveNode, into: Set<string>): void {
  visit(node, { Variable: ({ name }) => void into.add(name.value) });
}
