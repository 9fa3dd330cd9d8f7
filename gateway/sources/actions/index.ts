export { declaredPart, responseProblem } from './action-response.ts';
export { openActions } from './actions.ts';
export { codeWithoutExtensions, VERBATIM } from './errors.ts';
export { runHandler } from './handler-run.ts';
export {
  type ActionHandler,
  type HandlerTrial,
  openHandlers,
  type TrialExchange,
  type TrialOutcome,
} from './handler-trial.ts';
export { STORED_HEADERS_PURPOSE } from './stored-headers.ts';
