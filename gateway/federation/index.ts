export { type JoinError, OperationTooComplex, SubgraphFailure, UnplannableOperation } from './errors.ts';
export type { JoinResult, RelayedFetch, Send, SubgraphCall, SubgraphExtensions } from './execute/index.ts';
export {
  FederatedGraph,
  type FederatedGraphOptions,
  type PreparedJoin,
  type PreparedSubscription,
  responseObject,
} from './execute/index.ts';
export { plannedServices, ServiceObjects } from './plan/index.ts';
export { warmUpPlanner } from './warm-up.ts';
