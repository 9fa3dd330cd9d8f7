export { type Access, accessOf, needsOfOperation } from './access.ts';
export type { OperationLimits, RoleLimits } from './limits.ts';
export { RoleRules } from './role-rules.ts';
export { type ConditionProblems, checkEndpointCondition, prepareConditions } from './session-conditions.ts';
export { isValidated, type ValidatedDocument, type ValidationScope, validateForRole } from './validate-for-role.ts';
export { prepareVariables, type VariableProblems } from './variables.ts';
