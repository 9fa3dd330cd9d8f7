export { createGraphHandler, type GraphOptions } from './handler.ts';
