export type { ActionTypeField, KeyField } from './action-fields.ts';
export {
  type NamedText,
  type RequestTransform,
  type ResponseTransform,
  requestTransform,
} from './action-transforms.ts';
export { type ActionTypes, actionTypes } from './action-types.ts';
export { type ActionMetadata, type ActionsMetadata, actionsShape, DEFAULT_SUBSCRIPTION } from './actions.ts';
export { exportedActions } from './exported-actions.ts';
export {
  type ActionHandlerMetadata,
  type FailStepMetadata,
  handlerReferences,
  handlerTemplates,
  type OperationReference,
  type OperationStepMetadata,
  type WorkHandlerMetadata,
  workHandler,
} from './handler-shapes.ts';
export { checkScalars, isNumberScalar, type ScalarCheck } from './scalar-check.ts';
export { tableRelationshipProblems } from './table-relationships.ts';
export type { TypeExtension } from './type-extensions.ts';
