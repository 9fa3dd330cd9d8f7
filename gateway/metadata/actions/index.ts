export type { ActionTypeField, KeyField } from './action-fields.ts';
export {
  type NamedText,
  type RequestTransform,
  type ResponseTransform,
  requestTransform,
} from './action-transforms.ts';
export { type ActionTypes, actionTypes } from './action-types.ts';
export { type ActionMetadata, type ActionsMetadata, actionsShape } from './actions.ts';
export { exportedActions } from './exported-actions.ts';
export { tableRelationshipProblems } from './table-relationships.ts';
