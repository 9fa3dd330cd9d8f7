export {
  type ClientOperation,
  type Conditions,
  isIncluded,
  readClientOperation,
  rootFieldsOf,
} from './client-operation.ts';
export type { Fetch, PathStep, Representation, RootFieldCall } from './fetches.ts';
export { type OperationPlan, OperationPlanner, plannedServices } from './plan-operation.ts';
export { fieldsOf, fieldTypeIn, responseKey, type TypedField } from './selected-fields.ts';
export type { Selections, WantedField } from './selections.ts';
export { type RenamedKey, separateTypes } from './separate-types.ts';
export { ServiceObjects } from './service-objects.ts';
export type { Steps } from './steps.ts';
