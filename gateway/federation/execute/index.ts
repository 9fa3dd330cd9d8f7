export {
  FederatedGraph,
  type FederatedGraphOptions,
  type PreparedJoin,
  type PreparedSubscription,
  responseObject,
} from './federated-graph.ts';
export type { JoinResult, RelayedFetch } from './prepared-join.ts';
export type { Send, SubgraphCall, SubgraphExtensions } from './run.ts';
