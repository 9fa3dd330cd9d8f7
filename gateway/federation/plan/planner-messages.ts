import type { PlanNode } from '@graphql-hive/router-query-planner';
import type { SlicedPlannerOptions } from './sliced-planner.ts';

/** The message that starts the thread. */
export interface PlannerData {
  /** SDL, as a whole or by its definitions. */
  readonly supergraph: string | readonly string[];
  readonly slices: SlicedPlannerOptions | undefined;
}

/** A request to the thread. */
export interface PlanRequest {
  readonly document: string;
  readonly operationName: string | undefined;
  readonly labels: ReadonlySet<string> | undefined;
  readonly planner: 'plan' | 'planEntities';
}

export type PlanResponse = { readonly node: PlanNode | undefined } | { readonly unplannable: string };

/** The thread's message once it is ready. */
export interface PlannerReady {
  /** Why the addon does not load. */
  readonly unavailable?: string;
}
