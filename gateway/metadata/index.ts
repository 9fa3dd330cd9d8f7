export type {
  ActionMetadata,
  ActionsMetadata,
  ActionTypeField,
  ActionTypes,
  KeyField,
  NamedText,
  RequestTransform,
  ResponseTransform,
  ScalarCheck,
  TypeExtension,
} from './actions/index.ts';
export { checkScalars, DEFAULT_SUBSCRIPTION, isNumberScalar } from './actions/index.ts';
export { type AllowListEntry, unenforcedAllowList } from './allow-list.ts';
export { type ApiLimits, apiLimit, type RateLimit } from './api-limits.ts';
export { exportMetadata } from './export.ts';
export { loadMetadata, type Metadata } from './load.ts';
export { namedRoles } from './named-roles.ts';
export { metricsPushOf, tracingOf } from './opentelemetry.ts';
export {
  type HandlerLimits,
  type HandlerOperation,
  type OperationHandler,
  type OperationStep,
  operationsOf,
} from './operation-handler.ts';
export type { PersistedManifest } from './persisted-documents.ts';
export type { QueryCollectionMetadata } from './query-collections.ts';
export type { RestEndpoint } from './references.ts';
export { fieldMeant, type RelationshipMetadata, type RemoteStep } from './relationships.ts';
export { isSupergraph, type RemoteSchemaMetadata } from './remote-schemas.ts';
export type { RestMethod } from './rest-endpoints.ts';
export type { ServiceMetadata } from './services.ts';
export { configuredHeaders, mapping, problemsOfShape, queueName, type ResilienceMetadata } from './shapes/index.ts';
export {
  type Environment,
  namedVariables,
  resolveEventsUrl,
  resolveHeaders,
  resolveUrl,
  resolveVariable,
  type UnresolvedValue,
} from './template.ts';
export {
  type CronTriggerMetadata,
  type DeliveriesMetadata,
  type ProducerMetadata,
  type RetryConf,
  retryConf,
  SCHEDULE_RETRIES,
  type SubscriptionMetadata,
  webhookUrl,
} from './triggers/index.ts';
export { foldIgnored, hasDatabases, type IgnoredMetadata } from './unsupported.ts';
export { metadataWarnings } from './warnings/index.ts';
export { watchMetadata } from './watch.ts';
export type { MetadataLocation, ValuePath } from './yaml/index.ts';
export {
  asStartError,
  describeProblem,
  INCLUDE,
  includeTag,
  MetadataError,
  type MetadataProblem,
  pathWithin,
  together,
  withVariablesOnce,
} from './yaml/index.ts';
