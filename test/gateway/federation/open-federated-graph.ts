import { parse, print } from 'graphql';
import {
  FederatedGraph,
  type PlannedSubscription,
  type Send,
  subgraphServices,
} from '../../../gateway/planning/joins/index.ts';
import { buildPublicSchema, readSupergraphTypes } from '../../../gateway/planning/supergraph/index.ts';

/** The graph of a composed supergraph of Apollo Federation, version 1 or 2. */
export function openFederatedGraph<Context>(supergraphSdl: string, send: Send<Context>): FederatedGraph<Context> {
  const document = parse(supergraphSdl, { noLocation: true });
  return new FederatedGraph({
    types: readSupergraphTypes(document),
    publicSchema: buildPublicSchema(document),
    services: subgraphServices(send),
  });
}

/** The request that gives the events of a subscription. */
export function eventsRequest<Context>(
  { source: { service, operation } }: PlannedSubscription<Context>,
  variables: Readonly<Record<string, unknown>>,
): { readonly subgraph: string; readonly query: string; readonly variables: Readonly<Record<string, unknown>> } {
  const names = (operation.variableDefinitions ?? []).map(({ variable }) => variable.name.value);
  const given = names.filter((name) => Object.hasOwn(variables, name)).map((name) => [name, variables[name]]);
  return { subgraph: service, query: print(operation), variables: Object.fromEntries(given) };
}
