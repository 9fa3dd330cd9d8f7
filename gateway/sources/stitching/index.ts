export { schemaEvents } from './schema-events.ts';
export { stitchedEvents } from './stitched-events.ts';
export { stitchingSource } from './stitching-source.ts';
