export { type CheckResult, checkObservability, hasPrometheus, type QueryCheckOptions } from './check.ts';
export { selectorsOf } from './queries.ts';
