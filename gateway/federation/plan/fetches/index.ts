// Passes over the fetches that a planner has made: what it leaves out is added, what it makes twice or in vain is removed.
export { fieldsOf, foldFetches, responseKey } from './fold-fetches.ts';
export {
  type EntityFetch,
  type EntityPath,
  type Fetch,
  fetchesOf,
  fieldKeysOf,
  openOperation,
  type RootFetch,
  rootName,
  unknown,
} from './plan-fetches.ts';
export { pruneImpossibleTypes } from './prune-impossible-types.ts';
export { repairRequirements } from './repair-requirements.ts';
export { withoutRepeatedFetches } from './repeated-fetches.ts';
export { restorePossibleTypes } from './restore-possible-types.ts';
export { restoreResponseKeys } from './restore-response-keys.ts';
export { scheduleFetches } from './schedule-fetches.ts';
export { selectMissingKeys } from './select-missing-keys.ts';
export { separateTypes } from './separate-types.ts';
