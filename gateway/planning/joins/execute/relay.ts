import {
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
} from 'graphql';
import { TYPENAME_FIELD, usedVariables } from '../../../graphql/syntax/index.ts';
import type { SupergraphTypes } from '../../supergraph/index.ts';
import type { ClientOperation, OperationPlan } from '../plan/index.ts';
import { fetchText } from './request-text.ts';
import { prepareRequest, type SubgraphRequest } from './subgraph-request.ts';

/**
 * The request for an operation that a single subgraph resolves, if its response can be passed on byte by byte. The
 * request selects the same fields as the client in the same order. Undefined if the response has to be parsed: types
 * that are only known at run time need `__typename`, and some values may be hidden from clients.
 */
export function relayedRequest(
  { definition }: ClientOperation,
  plans: readonly OperationPlan[],
  schema: GraphQLSchema,
  types: SupergraphTypes,
): { readonly operation: OperationDefinitionNode; readonly request: SubgraphRequest } | undefined {
  const [plan, ...otherPlans] = plans;
  const [wave, ...joins] = plan?.waves ?? [];
  const [fetch, ...others] = wave ?? [];
  if (!fetch || otherPlans.length > 0 || joins.length > 0 || others.length > 0) return undefined;
  const isPlain = (selections: readonly SelectionNode[], type: GraphQLNamedType | null | undefined): boolean =>
    isObjectType(type) &&
    selections.every((selection) => {
      if (selection.kind !== Kind.FIELD || selection === TYPENAME_FIELD) return false;
      if (selection.name.value === '__typename') return true;
      const own = getNamedType(type.getFields()[selection.name.value]?.type);
      if (!own || (isEnumType(own) && types.hidesValues(own.name))) return false;
      return !selection.selectionSet || isPlain(selection.selectionSet.selections, own);
    });
  if (!isPlain(fetch.selections, schema.getRootType(definition.operation))) return undefined;
  const { name } = definition;
  const operation: OperationDefinitionNode = {
    kind: Kind.OPERATION_DEFINITION,
    operation: definition.operation,
    ...(name && { name }),
    variableDefinitions: usedVariables(definition.variableDefinitions ?? [], fetch.selections),
    selectionSet: { kind: Kind.SELECTION_SET, selections: fetch.selections },
  };
  return { operation, request: prepareRequest(fetchText(operation, fetch.service)) };
}
