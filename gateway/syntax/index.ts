export { isCondition, isSelectionIncluded } from './conditions.ts';
export { type Fragments, fragmentsOf } from './fragments.ts';
export { isIntrospectionField } from './introspection-fields.ts';
export {
  fragmentNode,
  hasFields,
  innermostTypeName,
  nameNode,
  TYPENAME_FIELD,
  type TypeWithFields,
} from './nodes.ts';
export type { Variables } from './variables.ts';
