export { endlessOperations } from './endless-operations.ts';
export { type PlannableSupergraph, withReentryKeys } from './reentry-keys.ts';
