export { MIN_SECRET_LENGTH } from './action-signature.ts';
export { VERBATIM } from './action-webhook.ts';
export { openActions } from './actions.ts';
