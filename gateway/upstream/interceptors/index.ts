export { breakCircuit, circuitOpen } from './break-circuit.ts';
export { deduplicate, isShareable } from './deduplicate.ts';
export { explainCalls } from './explain-calls.ts';
export { composeInterceptors, type Interceptor } from './interceptor.ts';
export { limitConcurrency } from './limit-concurrency.ts';
export { measureRequests } from './measure-requests.ts';
export { recordCalls } from './record-calls.ts';
export { requireAvailability, unavailable } from './require-availability.ts';
export { retry } from './retry.ts';
