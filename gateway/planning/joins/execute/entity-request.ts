import {
  type FieldNode,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  type SelectionNode,
  type TypeNode,
  type VariableDefinitionNode,
} from 'graphql';
import { nameNode, RequestTexts, usedVariables } from '../../../graphql/syntax/index.ts';
import type { SupergraphTypes } from '../../supergraph/index.ts';
import type { Fetch, RenamedKey } from '../plan/index.ts';
import { fieldTypeIn, separateTypes } from '../plan/index.ts';
import type { VariableDefinitions } from './request-text.ts';

/** Entities for which the same fields are selected. */
export interface EntityQuestion {
  /** The response key. `variable` is the variable that contains the representations. */
  readonly key: string;
  readonly variable: string;
  readonly selections: readonly SelectionNode[];
  readonly renamed: readonly RenamedKey[];
  /** The first of the fetches, which only differ in their paths. */
  readonly fetch: Fetch;
  readonly fetches: readonly Fetch[];
}

/** Creates one request for all entities that are fetched from a subgraph at the same time. */
export function entityRequest(
  asked: readonly Fetch[],
  types: SupergraphTypes,
  clientVariables: VariableDefinitions,
): { operation: OperationDefinitionNode; own: ReadonlySet<string>; questions: EntityQuestion[] } {
  const groups = new Map<string, Fetch[]>();
  const texts = new RequestTexts();
  for (const fetch of asked) {
    const text = texts.selections(fetch.selections);
    const represented = fetch.representations.map((one) => [
      one.type,
      one.typename,
      one.selections.id,
      one.isForAnyType,
    ]);
    const same = JSON.stringify([text, represented]);
    const group = groups.get(same);
    if (group) group.push(fetch);
    else groups.set(same, [fetch]);
  }
  const isAlone = groups.size === 1;
  const taken = new Set(clientVariables.map(({ variable }) => variable.name.value));
  const questions = [...groups.values()].flatMap((fetches, index): EntityQuestion[] => {
    const [fetch] = fetches;
    if (!fetch) return [];
    const { service } = fetch;
    const { selections, renamed } = separateTypes(fetch.selections, undefined, (parent, field) =>
      fieldTypeIn(types, service, parent, field),
    );
    let variable = isAlone ? 'representations' : `representations${index}`;
    while (taken.has(variable)) variable += '_';
    return [{ key: isAlone ? '_entities' : `_e${index}`, variable, selections, renamed, fetch, fetches }];
  });
  const selections = questions.map(entitiesField);
  const operation: OperationDefinitionNode = {
    kind: Kind.OPERATION_DEFINITION,
    operation: OperationTypeNode.QUERY,
    variableDefinitions: [...questions.map(representationsVariable), ...usedVariables(clientVariables, selections)],
    selectionSet: { kind: Kind.SELECTION_SET, selections },
  };
  const own = new Set(questions.map(({ variable }) => variable));
  return { operation, own, questions };
}

const variableNode = (value: string) => ({ kind: Kind.VARIABLE, name: nameNode(value) }) as const;

function entitiesField({ key, variable, selections }: EntityQuestion): FieldNode {
  return {
    kind: Kind.FIELD,
    ...(key === '_entities' ? {} : { alias: nameNode(key) }),
    name: nameNode('_entities'),
    arguments: [{ kind: Kind.ARGUMENT, name: nameNode('representations'), value: variableNode(variable) }],
    selectionSet: { kind: Kind.SELECTION_SET, selections },
  };
}

function representationsVariable({ variable }: EntityQuestion): VariableDefinitionNode {
  const any: TypeNode = { kind: Kind.NON_NULL_TYPE, type: { kind: Kind.NAMED_TYPE, name: nameNode('_Any') } };
  const type: TypeNode = { kind: Kind.NON_NULL_TYPE, type: { kind: Kind.LIST_TYPE, type: any } };
  return { kind: Kind.VARIABLE_DEFINITION, variable: variableNode(variable), type };
}
