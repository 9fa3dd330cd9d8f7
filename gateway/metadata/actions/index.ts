export {
  type NamedText,
  type RequestTransform,
  type ResponseTransform,
  requestTransform,
} from './action-transforms.ts';
export { type ActionTypes, actionTypes } from './action-types.ts';
export { type ActionMetadata, type ActionsMetadata, actionsShape } from './actions.ts';
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
} from './operation-handler.ts';
export { tableRelationshipProblems } from './table-relationships.ts';
