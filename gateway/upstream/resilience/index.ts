export { Bulkhead, Waiter } from './bulkhead.ts';
export { type BreakerOutcome, type BreakerState, CircuitBreaker, type Permit } from './circuit-breaker.ts';
export { LinkedList, ListNode } from './linked-list.ts';
export { RetryBudget } from './retry-budget.ts';
export { askedWaitMs, retryAfterMs, retryPauseMs } from './retry-pause.ts';
export {
  type BreakerSettings,
  type ConcurrencySettings,
  DEDUPLICATION,
  DEFAULT_RESILIENCE,
  type Deduplication,
  type ResilienceSettings,
  type RetrySettings,
} from './settings.ts';
