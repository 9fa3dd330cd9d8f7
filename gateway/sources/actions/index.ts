export { openActions } from './actions.ts';
export { VERBATIM } from './errors.ts';
