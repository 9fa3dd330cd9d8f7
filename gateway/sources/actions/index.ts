export { openActions } from './actions.ts';
export { runHandler } from './handler-run.ts';
export {
  type ActionHandler,
  type HandlerTrial,
  openHandlers,
  type TrialExchange,
  type TrialOutcome,
} from './handler-trial.ts';
export { STORED_HEADERS_PURPOSE } from './stored-headers.ts';
export { codeWithoutExtensions, declaredPart, responseProblem, VERBATIM } from './webhook/index.ts';
