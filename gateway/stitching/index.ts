export { isCondition, isSelectionIncluded } from './conditions.ts';
export { unfitLeaf } from './errors.ts';
export type { Relationship, RelationshipStep } from './relationship.ts';
export { StitchedGraph, type StitchedOperation, type StitchedSubscription } from './stitched-graph.ts';
export type { EntryPointConfig, MergedType, StitchedSubschema } from './subschema.ts';
