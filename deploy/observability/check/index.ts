export { type CheckOptions, type CheckResult, checkObservability, hasPrometheus } from './check.ts';
export { selectorsOf } from './queries.ts';
