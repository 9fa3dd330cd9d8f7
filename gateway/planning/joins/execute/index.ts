export {
  FederatedGraph,
  type FederatedGraphOptions,
  type PlannedJoin,
  type PlannedSubscription,
  type PreparedJoin,
  type PreparedSubscription,
  type Refusal,
  responseObject,
} from './federated-graph.ts';
export { copy } from './merge.ts';
export type { JoinResult, RelayedFetch } from './prepared-join.ts';
export type { PlanRun, Send, SubgraphCall, SubgraphExtensions } from './run.ts';
export {
  type CallService,
  JsonText,
  type OwnVariable,
  type RecordedJoin,
  type Services,
  type SubgraphAnswer,
  type SubgraphError,
} from './services.ts';
export { subgraphServices } from './subgraph-request.ts';
