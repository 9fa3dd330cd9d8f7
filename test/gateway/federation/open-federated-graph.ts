import { parse } from 'graphql';
import { FederatedGraph, type Send } from '../../../gateway/federation/index.ts';
import { buildPublicSchema, readSupergraphTypes } from '../../../gateway/supergraph/index.ts';

/** The graph of a composed supergraph of Apollo Federation, version 1 or 2. */
export function openFederatedGraph<Context>(supergraphSdl: string, send: Send<Context>): FederatedGraph<Context> {
  const document = parse(supergraphSdl, { noLocation: true });
  return new FederatedGraph({
    types: readSupergraphTypes(document),
    publicSchema: buildPublicSchema(document),
    send,
  });
}
