export { openActions } from './actions.ts';
export { codeWithoutExtensions, VERBATIM } from './errors.ts';
