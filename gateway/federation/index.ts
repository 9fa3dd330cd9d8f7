export { type JoinError, PlannerStopped, PlannerUnavailable, SubgraphFailure, UnplannableOperation } from './errors.ts';
export type { JoinResult, RelayedFetch, Send, SubgraphCall, SubgraphExtensions } from './execute/index.ts';
export {
  FederatedGraph,
  type FederatedGraphOptions,
  type PreparedJoin,
  type PreparedSubscription,
  responseObject,
} from './execute/index.ts';
export { openPlanner, openPlanners, type Planners, type PlannersOptions, type PlanQuery } from './plan/index.ts';
