export { declaredPart, responseProblem } from './action-response.ts';
export { openActions } from './actions.ts';
export { codeWithoutExtensions, VERBATIM } from './errors.ts';
export {
  type ActionHandler,
  type HandlerCall,
  type HandlerExchange,
  type HandlerOutcome,
  openHandlers,
} from './handlers.ts';
export { STORED_HEADERS_PURPOSE } from './stored-headers.ts';
