export { MIN_SECRET_LENGTH } from './action-signature.ts';
export { VERBATIM } from './action-webhook.ts';
export { openActions } from './actions.ts';
export { mapErrors } from './answer-parts.ts';
export { RETRY_AFTER_SECONDS } from './availability.ts';
export type { Call, HttpHints } from './call.ts';
export { type CallCounts, type CallOutcome, DURATION_BOUNDS_MS, Durations, outcomeOf } from './call-counts.ts';
export { Cancellation } from './cancellation.ts';
export { clientHeaderForwarding } from './client-headers.ts';
export type { CustomizedSchema } from './customization.ts';
export { type FederationGroup, openFederationGroup, type Subgraph } from './federation-group.ts';
export type { SentFile, SentFiles } from './files.ts';
export { localOperation } from './local-operation.ts';
export type {
  AnswerPart,
  OperationAnswer,
  OperationToPrepare,
  PartsFlow,
  PartsReceiver,
  PreparedOperation,
  PreparedParts,
  PreparedSubscription,
  ReadPart,
} from './prepared-operation.ts';
export { type PromisedSchema, promisedSchema } from './promised-schema.ts';
export { isRelayed, type RelayedBytes, wholeBytes } from './relayed-bytes.ts';
export { REMOTE_SCHEMA_ERROR } from './remote-response.ts';
export { type OpenedRemote, type RemoteSchema, recordedComposition, remoteSchema } from './remote-schema.ts';
export { openSchemaStore, type SchemaStore } from './schema-store.ts';
export {
  ADMIN_ROLE,
  CompositionInterrupted,
  type Source,
  SourceError,
  type SourceProblem,
  SourceUnreachable,
  type Subschema,
  type Surroundings,
} from './source.ts';
export { mapEvents, SourceEventsEnded } from './source-events.ts';
export type { SourceState } from './source-guard.ts';
export { stitchedEvents } from './stitched-events.ts';
export {
  type Composition,
  fingerprintOf,
  readSchemaFile,
  type StoredSchema,
  schemaFileName,
  schemaFileText,
} from './stored-schema.ts';
export { type TypeNamePlaces, typeNamePlaces } from './type-names.ts';
export { UpstreamError, type UpstreamHandler, type UpstreamResponse } from './upstream-exchange.ts';
export {
  type CallRecorder,
  openUpstreamHttp,
  type UpstreamConnections,
  type UpstreamHttp,
  type UpstreamRequest,
} from './upstream-http.ts';
