import {
  type FragmentDefinitionNode,
  type OperationDefinitionNode,
  print,
  stripIgnoredCharacters,
  type VariableDefinitionNode,
} from 'graphql';
import { requestText } from '../../../graphql/syntax/index.ts';
import { fieldsOf, responseKey } from '../plan/index.ts';

/** The definitions of a client's variables. */
export type VariableDefinitions = readonly VariableDefinitionNode[];

/** The parts of a fetch that make up its request. */
export interface FetchText {
  readonly serviceName: string;
  readonly operation: string;
  readonly operationName?: string;
  readonly operationKind?: 'query' | 'mutation' | 'subscription';
  readonly variableUsages?: readonly string[];
  /** The response keys of its root fields. */
  readonly rootKeys: readonly string[];
}

/**
 * The text of an operation with the client's variables that it uses.
 * @param own variables that are not the client's
 */
export function fetchText(
  operation: OperationDefinitionNode,
  serviceName: string,
  own: ReadonlySet<string> = new Set(),
  fragments: readonly FragmentDefinitionNode[] = [],
): FetchText {
  return {
    serviceName,
    operation: [requestText(operation), ...fragments.map((node) => stripIgnoredCharacters(print(node)))].join(' '),
    operationKind: operation.operation,
    rootKeys: fieldsOf(operation.selectionSet.selections, undefined).map(({ field }) => responseKey(field)),
    ...(operation.name && { operationName: operation.name.value }),
    variableUsages: (operation.variableDefinitions ?? [])
      .map(({ variable }) => variable.name.value)
      .filter((name) => !own.has(name)),
  };
}
