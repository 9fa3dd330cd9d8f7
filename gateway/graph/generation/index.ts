export type { AuthenticationFields } from './authentication-fields.ts';
export type { AwaitedSources } from './awaited-sources.ts';
export { CACHED_DIRECTIVE } from './cached-directive.ts';
export { compareInSlices } from './compare-in-slices.ts';
export { Generation } from './generation.ts';
export { handlerProblems } from './handler-problems.ts';
export type { Inconsistency, MissingSource } from './inconsistency.ts';
export { NO_QUERIES_FIELD, type RoleGraph } from './role-graph.ts';
export {
  type BrokenOperation,
  brokenOperationProblems,
  brokenOperations,
  operationErrors,
  unknowableOperations,
} from './saved-operations.ts';
export { type AffectingChange, affectingChanges, type SchemaChange, schemaChanges } from './schema-changes.ts';
