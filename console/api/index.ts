export { CONSOLE_ROOT, consoleUrl, gatewayUrl } from './addresses.ts';
export { ApiError, RejectedRequest, readError, requireNotRejected, sessionChanged } from './api-error.ts';
export {
  type CallOptions,
  callMetadataApi,
  consoleCall,
  execute,
  fetchFromGateway,
  type RequestHeaders,
  readDocument,
} from './client.ts';
export { graphql, type ResultOf, type TypedDocument, type VariablesOf } from './graphql.ts';
export type * from './insight.ts';
export * from './jobs.ts';
export { jsonOrUndefined } from './json-text.ts';
