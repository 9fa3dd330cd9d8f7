import type { DocumentNode } from 'graphql';
import { withEntityRoots } from './entity-roots.ts';
import { openPlanner, type PlanQuery } from './planner.ts';

/**
 * The planner of a supergraph `withEntityRoots`. It is opened by its first plan: it is seldom needed, and takes as much
 * memory as the other planner.
 */
export function openEntityPlanner(supergraph: () => DocumentNode): PlanQuery {
  let plan: PlanQuery | undefined;
  return (document, operationName, labels) => {
    plan ??= openPlanner(withEntityRoots(supergraph()));
    return plan(document, operationName, labels);
  };
}
