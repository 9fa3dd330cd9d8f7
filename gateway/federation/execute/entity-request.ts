import {
  type FieldNode,
  Kind,
  type OperationDefinitionNode,
  print,
  type SelectionNode,
  stripIgnoredCharacters,
  type TypeNode,
  type VariableDefinitionNode,
} from 'graphql';
import type { SupergraphTypes } from '../../supergraph/index.ts';
import { nameNode } from '../../syntax/index.ts';
import type { EntityFetch, EntityPath } from '../plan/index.ts';
import { separateTypes } from '../plan/index.ts';
import type { FetchText } from './subgraph-request.ts';

/** Entities of which the same fields are selected. */
export interface EntityQuestion {
  /** The response key, and the variable that takes the representations. */
  readonly key: string;
  readonly variable: string;
  readonly paths: readonly EntityPath[];
  readonly fetch: EntityFetch;
}

/** One request for all entities that are fetched from a subgraph at the same time. */
export function entityRequest(
  asked: readonly EntityFetch[],
  types: SupergraphTypes,
): { fetch: FetchText; questions: EntityQuestion[] } {
  const fetches = asked.map((fetch) => separateTypes(fetch, types));
  const groups = new Map<string, EntityFetch[]>();
  for (const fetch of fetches) {
    const { selections, requires, inputRewrites, outputRewrites } = fetch;
    const text = selections.map((selection) => print(selection)).join(' ');
    const same = JSON.stringify([text, requires, inputRewrites, outputRewrites]);
    groups.set(same, [...(groups.get(same) ?? []), fetch]);
  }
  const alone = groups.size === 1;
  const questions = [...groups.values()].flatMap(([fetch, ...others], index): EntityQuestion[] => {
    if (!fetch) return [];
    const paths = [...fetch.paths, ...others.flatMap((other) => other.paths)];
    const key = alone ? '_entities' : `_e${index}`;
    return [{ key, variable: alone ? 'representations' : `__batch_reps_${index}`, paths, fetch }];
  });
  const variables = new Map<string, VariableDefinitionNode>();
  for (const fetch of fetches) for (const one of fetch.variables) variables.set(one.variable.name.value, one);
  const selections = questions.map(entitiesField);
  const operation: OperationDefinitionNode = {
    kind: Kind.OPERATION_DEFINITION,
    operation: 'query' as OperationDefinitionNode['operation'],
    variableDefinitions: [...questions.map(representationsVariable), ...usedVariables(variables, selections)],
    selectionSet: { kind: Kind.SELECTION_SET, selections },
  };
  return { fetch: fetchText(operation, fetches[0]?.service ?? ''), questions };
}

/** The text of an operation, with those of the client's variables that it uses. */
export function fetchText(operation: OperationDefinitionNode, serviceName: string): FetchText {
  return {
    serviceName,
    operation: stripIgnoredCharacters(print(operation)),
    operationKind: operation.operation,
    variableUsages: (operation.variableDefinitions ?? [])
      .map(({ variable }) => variable.name.value)
      .filter((name) => !/^(representations|__batch_reps_\d+)$/.test(name)),
  };
}

/** Of several definitions, those whose variables are used. */
export function usedVariables(
  definitions: ReadonlyMap<string, VariableDefinitionNode>,
  selections: readonly SelectionNode[],
): VariableDefinitionNode[] {
  const text = selections.map((selection) => print(selection)).join(' ');
  return [...definitions].flatMap(([name, definition]) => (new RegExp(`\\$${name}\\b`).test(text) ? [definition] : []));
}

const variableNode = (value: string) => ({ kind: Kind.VARIABLE, name: nameNode(value) }) as const;

function entitiesField({ key, variable, fetch }: EntityQuestion): FieldNode {
  return {
    kind: Kind.FIELD,
    ...(key === '_entities' ? {} : { alias: nameNode(key) }),
    name: nameNode('_entities'),
    arguments: [{ kind: Kind.ARGUMENT, name: nameNode('representations'), value: variableNode(variable) }],
    selectionSet: { kind: Kind.SELECTION_SET, selections: fetch.selections },
  };
}

function representationsVariable({ variable }: EntityQuestion): VariableDefinitionNode {
  const any: TypeNode = { kind: Kind.NON_NULL_TYPE, type: { kind: Kind.NAMED_TYPE, name: nameNode('_Any') } };
  const type: TypeNode = { kind: Kind.NON_NULL_TYPE, type: { kind: Kind.LIST_TYPE, type: any } };
  return { kind: Kind.VARIABLE_DEFINITION, variable: variableNode(variable), type };
}
