export type {
  AuthenticationFields,
  AwaitedSources,
  Generation,
  Inconsistency,
  MissingSource,
  RoleGraph,
} from './generation/index.ts';
export {
  type AffectingChange,
  affectingChanges,
  type BrokenOperation,
  brokenOperationProblems,
  CACHED_DIRECTIVE,
  compareInSlices,
  handlerProblems,
  NO_QUERIES_FIELD,
  operationErrors,
  type SchemaChange,
  schemaChanges,
  unknowableOperations,
} from './generation/index.ts';
export { LiveGraph } from './live-graph.ts';
export {
  logMetadataNotes,
  type MetadataNotesOptions,
  type MetadataPreview,
  MetadataReloader,
  type MetadataReloads,
  type MetadataSubscriber,
} from './metadata-reloader.ts';
export type { LastSchemaChange } from './registry/index.ts';
export { SourceRegistry } from './registry/index.ts';
