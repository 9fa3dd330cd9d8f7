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
import type { EntityPath, EntityUnit } from './plan-units.ts';
import { separateTypes } from './separate-types.ts';
import type { FetchText } from './subgraph-request.ts';
import type { SupergraphTypes } from './supergraph-types.ts';

/** Entities that are asked for in the same way wherever they stand. */
export interface EntityQuestion {
  /** The key of the answer, and the variable that takes the representations. */
  readonly key: string;
  readonly variable: string;
  readonly paths: readonly EntityPath[];
  readonly unit: EntityUnit;
}

/** One request for all entities that a subgraph is asked for at the same time. */
export function entityRequest(
  asked: readonly EntityUnit[],
  types: SupergraphTypes,
): { fetch: FetchText; questions: EntityQuestion[] } {
  const units = asked.map((unit): EntityUnit => {
    const { selections, rewrites } = separateTypes(unit.selections, unit.service, types);
    return rewrites.length === 0
      ? unit
      : { ...unit, selections, outputRewrites: [...rewrites, ...unit.outputRewrites] };
  });
  const groups = new Map<string, EntityUnit[]>();
  for (const unit of units) {
    const { selections, requires, inputRewrites, outputRewrites } = unit;
    const text = selections.map((selection) => print(selection)).join(' ');
    const same = JSON.stringify([text, requires, inputRewrites, outputRewrites]);
    groups.set(same, [...(groups.get(same) ?? []), unit]);
  }
  const alone = groups.size === 1;
  const questions = [...groups.values()].flatMap(([unit, ...others], index): EntityQuestion[] => {
    if (!unit) return [];
    const paths = [...unit.paths, ...others.flatMap((other) => other.paths)];
    const key = alone ? '_entities' : `_e${index}`;
    return [{ key, variable: alone ? 'representations' : `__batch_reps_${index}`, paths, unit }];
  });
  const variables = new Map<string, VariableDefinitionNode>();
  for (const unit of units) for (const one of unit.variables) variables.set(one.variable.name.value, one);
  const selections = questions.map(entitiesField);
  const operation: OperationDefinitionNode = {
    kind: Kind.OPERATION_DEFINITION,
    operation: 'query' as OperationDefinitionNode['operation'],
    variableDefinitions: [...questions.map(representationsVariable), ...usedVariables(variables, selections)],
    selectionSet: { kind: Kind.SELECTION_SET, selections },
  };
  return { fetch: fetchText(operation, units[0]?.service ?? ''), questions };
}

/** The text of an operation with the variables that it takes of the client's. */
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

const nameNode = (value: string) => ({ kind: Kind.NAME, value }) as const;
const variableNode = (value: string) => ({ kind: Kind.VARIABLE, name: nameNode(value) }) as const;

function entitiesField({ key, variable, unit }: EntityQuestion): FieldNode {
  return {
    kind: Kind.FIELD,
    ...(key === '_entities' ? {} : { alias: nameNode(key) }),
    name: nameNode('_entities'),
    arguments: [{ kind: Kind.ARGUMENT, name: nameNode('representations'), value: variableNode(variable) }],
    selectionSet: { kind: Kind.SELECTION_SET, selections: unit.selections },
  };
}

function representationsVariable({ variable }: EntityQuestion): VariableDefinitionNode {
  const any: TypeNode = { kind: Kind.NON_NULL_TYPE, type: { kind: Kind.NAMED_TYPE, name: nameNode('_Any') } };
  const type: TypeNode = { kind: Kind.NON_NULL_TYPE, type: { kind: Kind.LIST_TYPE, type: any } };
  return { kind: Kind.VARIABLE_DEFINITION, variable: variableNode(variable), type };
}
