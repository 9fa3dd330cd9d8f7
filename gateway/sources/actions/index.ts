export { VERBATIM } from './action-webhook.ts';
export { openActions } from './actions.ts';
