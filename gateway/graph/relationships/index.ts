export type { Relationship, RelationshipStep } from './relationship.ts';
export { relationshipField } from './relationship-field.ts';
export { type RelationshipProblem, resolveRelationship } from './relationships.ts';
