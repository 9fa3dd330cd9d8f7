export type { Batch } from './batch.ts';
export type { SubscriptionEnd } from './counts.ts';
export { readLoneId, readPersistedQuery } from './document/index.ts';
export { batchTooLarge } from './errors.ts';
export type { OperationResult, ResultFormat } from './execute.ts';
export type { PartsReceiver } from './execute-incrementally.ts';
export type { Subscription } from './live-subscriptions.ts';
export { OperationPipeline, type OperationPipelineOptions } from './pipeline.ts';
export type { ExecutableRequest, OperationRequest, PreparedRequest } from './requests.ts';
export type { RejectedRequest } from './response/index.ts';
export {
  dataIn,
  executionErrors,
  flatRefusal,
  type PublicError,
  refusedRequest,
  SubscriptionEnded,
  unforeseenError,
  writtenJson,
} from './response/index.ts';
export { savedOperationRunner } from './saved-operation-runner.ts';
export type { ResultTaker } from './subscription-run.ts';
export { withinTimeLimit } from './time-limit.ts';
export type { OperationLimits } from './validation/index.ts';
export { needsOfOperation } from './validation/index.ts';
