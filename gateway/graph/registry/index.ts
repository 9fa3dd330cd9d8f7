export type { LastSchemaChange } from './schema-history.ts';
export { isMistake, sourceProblem } from './source-problem.ts';
export { SourceRegistry } from './source-registry.ts';
