export { completeValues, type ErrorPlace, errorPlace } from './complete-values.ts';
export { type ObjectShape, responseShapeOf } from './response-shape.ts';
export { writeResponse } from './write-response.ts';
