export { StitchedGraph, type StitchedOperation } from './stitched-graph.ts';
