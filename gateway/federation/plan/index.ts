export {
  type ClientOperation,
  type Conditions,
  includedRootFields,
  isIncluded,
  readClientOperation,
} from './client-operation.ts';
export {
  type EntityFetch,
  type EntityPath,
  type Fetch,
  fetchesOf,
  fieldKeysOf,
  fieldsOf,
  foldFetches,
  pruneImpossibleTypes,
  type RootFetch,
  repairRequirements,
  responseKey,
  restorePossibleTypes,
  restoreResponseKeys,
  scheduleFetches,
  selectMissingKeys,
  separateTypes,
  unknown,
  withoutRepeatedFetches,
} from './fetches/index.ts';
export { PLACEHOLDER_FIELD, plannedOperation } from './planned-document.ts';
export { openEntityPlanner, openPlanner, type PlanQuery } from './planner.ts';
export { openPlanners, type Planners, type PlannersOptions } from './planner-thread.ts';
export { planInParts, type SplitScope } from './split-requirements.ts';
