export {
  type ClientOperation,
  type Conditions,
  includedRootFields,
  isIncluded,
  readClientOperation,
} from './client-operation.ts';
export { fieldsOf, foldFetches, responseKey } from './fold-fetches.ts';
export {
  type EntityFetch,
  type EntityPath,
  type Fetch,
  fetchesOf,
  fieldKeysOf,
  type RootFetch,
  unknown,
} from './plan-fetches.ts';
export { PLACEHOLDER_FIELD, plannedOperation } from './planned-document.ts';
export { openEntityPlanner, openPlanner, type PlanQuery } from './planner.ts';
export { openPlanners, type Planners, type PlannersOptions } from './planner-thread.ts';
export { pruneImpossibleTypes } from './prune-impossible-types.ts';
export { repairRequirements } from './repair-requirements.ts';
export { withoutRepeatedFetches } from './repeated-fetches.ts';
export { restorePossibleTypes } from './restore-possible-types.ts';
export { restoreResponseKeys } from './restore-response-keys.ts';
export { scheduleFetches } from './schedule-fetches.ts';
export { selectMissingKeys } from './select-missing-keys.ts';
export { separateTypes } from './separate-types.ts';
export { planInParts, type SplitScope } from './split-requirements.ts';
