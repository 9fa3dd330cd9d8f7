/** How a source is called: timeouts, retries, circuit breaker, concurrency, deduplication. */
export interface ResilienceSettings {
  /** For a connection to be there, its TLS included, in milliseconds. */
  readonly connectTimeoutMs: number;
  /** From sending a request to the headers of its answer, in milliseconds; undefined: as long as for all of it. */
  readonly headersTimeoutMs: number | undefined;
  readonly retries: RetrySettings;
  /** Undefined: there is none. */
  readonly circuitBreaker: BreakerSettings | undefined;
  readonly concurrency: ConcurrencySettings;
  /** Whether equal queries that are under way at the same time are sent once. */
  readonly deduplicate: boolean;
}

export interface RetrySettings {
  /** How often a query is sent again at most; 0 for never. */
  readonly limit: number;
  /** How many retries there may be for 100 queries. */
  readonly budgetPercent: number;
  /** The longest pause before the first retry, in milliseconds; it doubles for each further one. */
  readonly backoffMs: number;
}

export interface BreakerSettings {
  /** Of the requests in the window, when it opens: 1 to 100. */
  readonly failurePercent: number;
  readonly windowMs: number;
  /** With fewer requests in the window it does not open. */
  readonly minimumRequests: number;
  /** How long nothing is sent once it is open. */
  readonly openMs: number;
  /** How many requests have to succeed, and are sent at a time at most, to close it again. */
  readonly halfOpenProbes: number;
}

export interface ConcurrencySettings {
  /** Requests that are under way at a time at most. */
  readonly maxInFlight: number;
  /** Requests that wait for one of these places at most. */
  readonly maxQueue: number;
  readonly queueTimeoutMs: number;
}

/** The defaults. */
export const DEFAULT_RESILIENCE = {
  connectTimeoutMs: 5_000,
  headersTimeoutMs: undefined,
  retries: { limit: 2, budgetPercent: 20, backoffMs: 50 },
  circuitBreaker: { failurePercent: 50, windowMs: 10_000, minimumRequests: 20, openMs: 5_000, halfOpenProbes: 3 },
  concurrency: { maxInFlight: 256, maxQueue: 1_000, queueTimeoutMs: 5_000 },
  deduplicate: false,
} as const satisfies ResilienceSettings;
