export { rootFieldsOf } from './documents.ts';
export { type GraphqlEndpointOptions, graphqlEndpoint } from './endpoint.ts';
export type { PublicError } from './errors.ts';
export type { OperationLimits } from './limits.ts';
export {
  type Client,
  type InvalidOperation,
  type OperationRequest,
  type OperationResult,
  Operations,
  type ReadyOperation,
} from './run.ts';
