export {
  type JoinError,
  OperationTooComplex,
  SubgraphFailure,
  UNAUTHORIZED_FIELD,
  UnplannableOperation,
} from './errors.ts';
export type {
  CallService,
  JoinResult,
  PlanRun,
  RecordedJoin,
  RelayedFetch,
  Send,
  Services,
  SubgraphAnswer,
  SubgraphCall,
  SubgraphError,
  SubgraphExtensions,
} from './execute/index.ts';
export {
  copy,
  FederatedGraph,
  type FederatedGraphOptions,
  JsonText,
  type PlannedJoin,
  type PlannedSubscription,
  type PreparedJoin,
  type PreparedSubscription,
  type Refusal,
  responseObject,
  subgraphServices,
} from './execute/index.ts';
export type { JsonObject } from './json.ts';
export { plannedServices, ServiceObjects } from './plan/index.ts';
export { warmUpPlanner } from './warm-up.ts';
