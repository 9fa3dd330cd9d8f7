export type { Caller } from './caller-key.ts';
export { createRateLimiter, type RateLimiter, type RateLimiterOptions } from './rate-limiter.ts';
