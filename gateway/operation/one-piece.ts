import {
  BREAK,
  type DirectiveNode,
  type DocumentNode,
  type FragmentDefinitionNode,
  type OperationDefinitionNode,
  visit,
} from 'graphql';
import { type Fragments, withFragments } from './sub-operation.ts';

type Definition = OperationDefinitionNode | FragmentDefinitionNode;

/** An operation with the fragments of its document. */
export interface WholeOperation {
  readonly operation: OperationDefinitionNode;
  readonly fragments: Fragments;
}

/**
 * An operation without `@defer` and `@stream`: all of its answer comes at once. Services that know neither are not asked
 * with them, nor with variables that were there for them only.
 */
export function inOnePiece(operation: OperationDefinitionNode, fragments: Fragments): WholeOperation {
  if (![operation, ...fragments.values()].some(mayComeInParts)) return { operation, fragments };
  const removed = new Set<string>();
  const left = new Set<string>();
  const stripped = <T extends Definition>(definition: T): T =>
    visit(definition, {
      Directive: (directive) => {
        if (!isIncremental(directive)) return undefined;
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

function mayComeInParts(definition: Definition): boolean {
  let isFound = false;
  visit(definition, {
    Directive: (directive) => {
      if (!isIncremental(directive)) return undefined;
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
