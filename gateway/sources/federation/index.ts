export { type FederationGroup, openFederationGroup, type Subgraph } from './federation-group.ts';
export { openSupergraph, supergraphRemote } from './supergraph-source.ts';
