export { type PlannableSupergraph, withReentryKeys } from './reentry-keys.ts';
