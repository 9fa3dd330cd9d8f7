export { listItems } from './list-variable.ts';
export {
  conditionVariables,
  decimalNumber,
  type FieldConditions,
  holds,
  MAX_DIGITS,
  type NumberOperator,
  type SessionCondition,
} from './session-condition.ts';
