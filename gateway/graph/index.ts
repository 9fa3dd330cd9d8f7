export { Assembly } from './assembly.ts';
export type { AuthenticationFields } from './authentication-fields.ts';
export type { AwaitedSources } from './awaited-sources.ts';
export type { Generation, Inconsistency, MissingSource } from './generation.ts';
export { LiveGraph } from './live-graph.ts';
export { type Follower, type MetadataReloads, Reloads } from './reloads.ts';
export type { RoleGraph } from './role-graph.ts';
export { operationErrors } from './saved-operations.ts';
export { type SchemaChange, schemaChanges } from './schema-changes.ts';
