export { Assembly } from './assembly.ts';
export type { AuthenticationFields } from './authentication-fields.ts';
export type { AwaitedSources } from './awaited-sources.ts';
export { CACHED_DIRECTIVE } from './cached-directive.ts';
export type { Generation, Inconsistency, MissingSource } from './generation.ts';
export { LiveGraph } from './live-graph.ts';
export { type Follower, logMetadataNotes, type MetadataReloads, Reloads } from './reloads.ts';
export type { RoleGraph } from './role-graph.ts';
export {
  type BrokenOperation,
  brokenOperationProblems,
  operationErrors,
  unknowableOperations,
} from './saved-operations.ts';
export { type SchemaChange, schemaChanges } from './schema-changes.ts';
