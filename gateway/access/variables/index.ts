export { listItems } from './list-variable.ts';
export {
  conditionVariables,
  type FieldConditions,
  holds,
  type NumberOperator,
  type SessionCondition,
} from './session-condition.ts';
