export { openThrottle, type ThrottleSettings } from './open.ts';
export { attemptSweeps } from './sweeps.ts';
export { DEFAULT_TERMS, KINDS, type Kind, parseTerms, type Terms } from './terms.ts';
export type { Throttle, Throttled } from './throttle.ts';
