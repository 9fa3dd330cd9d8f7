export type { ActionMetadata, ActionsMetadata } from './actions.ts';
export { loadMetadata, type Metadata } from './load.ts';
export { describeProblem, MetadataError, type MetadataProblem } from './problem.ts';
export type { QueryCollectionMetadata } from './query-collections.ts';
export type { RestEndpoint } from './references.ts';
export type { RemoteSchemaMetadata } from './remote-schemas.ts';
export type { RestMethod } from './rest-endpoints.ts';
export type { ServiceMetadata } from './services.ts';
export { type Environment, fillTemplate, missingVariables, resolveHeaders, resolveUrl } from './template.ts';
