import type { PlanNode } from '@graphql-hive/router-query-planner';
import {
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  print,
  type SelectionNode,
  stripIgnoredCharacters,
} from 'graphql';
import type { SupergraphTypes } from '../../supergraph/index.ts';
import { PLACEHOLDER_FIELD } from '../plan/index.ts';
import { prepareRequest, type SubgraphRequest } from './subgraph-request.ts';

/**
 * The request for an operation that one subgraph resolves alone, whose response is passed on byte by byte: it selects what
 * the client selects, in the client's order. Undefined where the response has to be read: types that are only known at run
 * time need `__typename`, and some values may be hidden from clients.
 *
 * @param planned the planned operation; it selects nothing that the client does not
 * @param nodes the plan
 */
export function relayedRequest(
  planned: OperationDefinitionNode,
  nodes: readonly PlanNode[],
  clientVariables: ReadonlyMap<string, string>,
  schema: GraphQLSchema,
  types: SupergraphTypes,
): SubgraphRequest | undefined {
  const [fetch, ...others] = nodes;
  if (fetch?.kind !== 'Fetch' || others.length > 0 || (fetch.outputRewrites ?? []).length > 0) return undefined;
  if (planned.operation === 'subscription' || clientVariables.size > 0) return undefined;
  const isPlain = (selections: readonly SelectionNode[], type: GraphQLNamedType | null | undefined): boolean =>
    isObjectType(type) && selections.every((selection) => isPlainSelection(selection, type.name, type.getFields()));
  const isPlainSelection = (
    selection: SelectionNode,
    type: string,
    fields: Readonly<Record<string, { type: Parameters<typeof getNamedType>[0] }>>,
  ): boolean => {
    if (selection.kind === Kind.FRAGMENT_SPREAD || selection === PLACEHOLDER_FIELD) return false;
    if (selection.kind === Kind.INLINE_FRAGMENT) {
      const condition = selection.typeCondition?.name.value ?? type;
      return condition === type && isPlain(selection.selectionSet.selections, schema.getType(type));
    }
    const { name, selectionSet } = selection;
    if (name.value === '__typename') return true;
    const own = getNamedType(fields[name.value]?.type);
    if (!own || (isEnumType(own) && types.hidesValues(own.name))) return false;
    return !selectionSet || isPlain(selectionSet.selections, own);
  };
  const root = schema.getRootType(planned.operation);
  if (!isPlain(planned.selectionSet.selections, root)) return undefined;
  const { operationName: _, ...rest } = fetch;
  const name = planned.name && { operationName: planned.name.value };
  return prepareRequest({ ...rest, operation: stripIgnoredCharacters(print(planned)), ...name }, clientVariables);
}
