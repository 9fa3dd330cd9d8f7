export { type JoinError, PlannerStopped, PlannerUnavailable, SubgraphFailure, UnplannableOperation } from './errors.ts';
export {
  FederatedGraph,
  type FederatedGraphOptions,
  type PreparedJoin,
  type PreparedSubscription,
  responseObject,
  type Variables,
} from './federated-graph.ts';
export { overrideLabels, renameLabels, resolveOverrides } from './overrides.ts';
export { openPlanner, type Plan } from './planner.ts';
export { openPlanners, type Planners, type PlannersOptions } from './planner-thread.ts';
export type { JoinResult, Relay } from './prepared-join.ts';
export { buildPublicSchema } from './public-schema.ts';
export { type ComposedService, restoreExternal } from './restore-external.ts';
export type { Send, SubgraphCall, SubgraphExtensions } from './run.ts';
export { readSubgraphs } from './subgraph-schemas.ts';
export { readTypes, type SupergraphTypes } from './supergraph-types.ts';
export { widenFields } from './widen-fields.ts';
