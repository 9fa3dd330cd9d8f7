export { type Measured, measure } from './measurements.ts';
export { UseCaseCounts } from './use-case-counts.ts';
