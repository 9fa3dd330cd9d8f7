export { isCondition, isLeft } from './conditions.ts';
export type { Relationship, Step } from './relationship.ts';
export { filledIn, holdsFields } from './relationship-values.ts';
export { StitchedGraph, type StitchedOperation, type StitchedSubscription } from './stitched-graph.ts';
export type { Entry, MergedType, StitchedSubschema } from './subschema.ts';
