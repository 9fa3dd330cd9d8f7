export type { Relationship, RelationshipStep } from './relationship.ts';
export { relationshipField } from './relationship-field.ts';
export { type RelationshipProblem, resolveRelationship } from './relationships.ts';
export { resolveTypeField } from './type-fields.ts';
