export { createGraphHandler, type GraphOptions } from './handler.ts';
export { AUTH_TYPE_DEFINITIONS, type UseCases } from './schema.ts';
