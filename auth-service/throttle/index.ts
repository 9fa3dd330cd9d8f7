export {
  type BackoffPolicy,
  COUNTER_KINDS,
  type CounterKind,
  DEFAULT_BACKOFF_POLICIES,
  parseBackoffPolicy,
} from './backoff-policy.ts';
export { type OpenThrottle, openThrottle, type ThrottleSettings } from './open.ts';
export { attemptSweeps } from './sweeps.ts';
export type { Throttle, Throttled } from './throttle.ts';
export type { ThrottledAccount, ThrottledAccounts } from './throttled-accounts.ts';
