export { createGraphHandler, type GraphOptions } from './handler.ts';
export type { UseCases } from './schema.ts';
