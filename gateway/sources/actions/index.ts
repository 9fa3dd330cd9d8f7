export { openActions } from './actions.ts';
export { codeWithoutExtensions, VERBATIM } from './errors.ts';
export { type CountsOfHandler, HandlerCounts } from './handler-counts.ts';
export { type HandlerDependencies, runHandler } from './handler-run.ts';
export type {
  RunSavedOperation,
  SavedOperationCall,
  SavedOperationError,
  SavedOperationResult,
} from './saved-operation.ts';
export { STORED_HEADERS_PURPOSE } from './stored-headers.ts';
