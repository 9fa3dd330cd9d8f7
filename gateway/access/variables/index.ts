export { listItems } from './list-variable.ts';
export { type FieldConditions, holds, type NumberOperator, type SessionCondition } from './session-condition.ts';
