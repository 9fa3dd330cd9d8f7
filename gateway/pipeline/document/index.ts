export type { DocumentCost } from './document-cost.ts';
export { DocumentFact } from './document-fact.ts';
export { type Document, DocumentCache, rootFieldsOf, selectedFields } from './documents.ts';
export {
  type WholeOperation,
  withIncrementalDirectives,
  withoutCaching,
  withoutIncrementalDirectives,
} from './incremental-directives.ts';
export { normalised } from './normalised-text.ts';
export { PersistedDocuments } from './persisted-documents.ts';
export { PersistedQueries, type PersistedQuery, readLoneId, readPersistedQuery } from './persisted-queries.ts';
export { hasUnconditionalField, rootFieldsAtRun } from './root-fields.ts';
export { subOperation, withFragments } from './sub-operation.ts';
