export {
  type ActionHandler,
  codeWithoutExtensions,
  declaredPart,
  type HandlerTrial,
  openActions,
  openHandlers,
  responseProblem,
  runHandler,
  STORED_HEADERS_PURPOSE,
  type TrialExchange,
  type TrialOutcome,
  VERBATIM,
} from './actions/index.ts';
export { clientHeaderForwarding } from './client-headers.ts';
export type {
  CompiledOperation,
  CompiledSubscription,
  IncrementalFlow,
  IncrementalFormats,
  IncrementalOperation,
  IncrementalPayload,
  IncrementalReceiver,
  OperationAnswer,
  OperationDocument,
  ParsedPayload,
  PlannedRequest,
} from './compiled-operation.ts';
export type { CustomizedSchema } from './customization/index.ts';
export { type TypeNamePlaces, typeNamePlaces } from './customization/index.ts';
export { type FederationGroup, openFederationGroup, type Subgraph } from './federation/index.ts';
export type { SentFile, SentFiles } from './files.ts';
export { type CountsOfHandler, HandlerCounts } from './handler-counts.ts';
export { openResilientClient } from './open-client.ts';
export {
  type OpenedRemote,
  type PromisedSchema,
  promisedSchema,
  type RemoteSchema,
  recordedComposition,
  remoteSchema,
} from './opening/index.ts';
export { contextBelow, type HttpHints, type OperationContext } from './operation-context.ts';
export {
  compileJoin,
  compileJoinedEvents,
  documentOf,
  type RunOtherwise,
  toOperationAnswer,
} from './planned-operations.ts';
export { mapErrors } from './remote-schema/index.ts';
export { resultOfAnswer } from './result-of-answer.ts';
export type {
  HandlerDependencies,
  RunSavedOperation,
  SavedOperationCall,
  SavedOperationError,
  SavedOperationResult,
} from './saved-operation.ts';
export { openSchemaStore, type SchemaStore } from './schema-store.ts';
export { joinedReasons, serviceMessage } from './service-text.ts';
export {
  CompositionInterrupted,
  type Source,
  type SourceDependencies,
  SourceError,
  type SourceProblem,
  SourceUnreachable,
  type StitchedLookup,
  type Subschema,
  type TypeField,
  type TypeJoins,
} from './source.ts';
export { mapEvents, SourceEventsEnded } from './source-events.ts';
export {
  type CompositionKind,
  definitionFingerprint,
  readSchemaFile,
  type StoredSchema,
  schemaFileName,
  schemaFileText,
} from './stored-schema.ts';
