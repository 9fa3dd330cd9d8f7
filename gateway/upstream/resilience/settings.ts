/** How a source is called: timeouts, retries, circuit breaker, concurrency, deduplication. */
export interface ResilienceSettings {
  /** For opening a connection, with its TLS handshake, in milliseconds. */
  readonly connectTimeoutMs: number;
  /** From sending a request to the headers of its answer, in milliseconds; undefined: as long as for all of it. */
  readonly headersTimeoutMs: number | undefined;
  readonly retries: RetrySettings;
  /** Undefined: there is none. */
  readonly circuitBreaker: BreakerSettings | undefined;
  readonly concurrency: ConcurrencySettings;
  readonly deduplicate: Deduplication;
}

/**
 * Which identical queries are sent once: none, those of one user while the first of them waits to be sent, or those of any
 * callers until the response is complete.
 */
export const DEDUPLICATION = ['never', 'unsent', 'in-flight'] as const;
export type Deduplication = (typeof DEDUPLICATION)[number];

export interface RetrySettings {
  /** How often a query is sent again at most; 0 for never. */
  readonly limit: number;
  /** How many retries there may be for 100 queries. */
  readonly budgetPercent: number;
  /** The longest pause before the first retry, in milliseconds; it doubles for each further one. */
  readonly backoffMs: number;
}

export interface BreakerSettings {
  /** How many percent of the requests in the window have failed when the circuit opens: 1 to 100. */
  readonly failurePercent: number;
  readonly windowMs: number;
  /** With fewer requests in the window it does not open. */
  readonly minimumRequests: number;
  /** How long nothing is sent once it is open. */
  readonly openMs: number;
  /** How many requests have to succeed to close it again, and how many of them are sent at a time at most. */
  readonly halfOpenProbes: number;
}

export interface ConcurrencySettings {
  /** The most concurrent requests. */
  readonly maxInFlight: number;
  /** The longest queue of requests that wait for a slot. */
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
  deduplicate: 'unsent',
} as const satisfies ResilienceSettings;
