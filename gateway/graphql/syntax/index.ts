export { conditionValue, isCondition, isSelectionIncluded } from './conditions.ts';
export { type Fragments, fragmentsOf, rootFieldNames } from './fragments.ts';
export { isIntrospectionField } from './introspection-fields.ts';
export {
  fragmentNode,
  hasFields,
  innermostTypeName,
  nameNode,
  TYPENAME_FIELD,
  type TypeWithFields,
  typeText,
} from './nodes.ts';
export { directivesText, RequestTexts, requestText, valueText } from './request-text.ts';
export { usedVariables, type Variables } from './variables.ts';
