export { openActions } from './actions.ts';
export { codeWithoutExtensions, VERBATIM } from './errors.ts';
export { runHandler } from './handler-run.ts';
export { STORED_HEADERS_PURPOSE } from './stored-headers.ts';
