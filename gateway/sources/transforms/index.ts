export { type RoleView, roleView } from './role-view.ts';
export { type SourceOperations, transformedOperations } from './transformed-operations.ts';
