export { stitchingSource } from './stitching-source.ts';
