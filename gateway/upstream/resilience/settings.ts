/** The settings of calls to a source: timeouts, retries, circuit breaker, concurrency and deduplication. */
export interface ResilienceSettings {
  /** The timeout for opening a connection including its TLS handshake, in milliseconds. */
  readonly connectTimeoutMs: number;
  /**
   * The timeout from sending a request to the headers of its response, in milliseconds. If undefined, the timeout of
   * the whole exchange applies.
   */
  readonly headersTimeoutMs: number | undefined;
  readonly retries: RetrySettings;
  /** Undefined if there is no circuit breaker. */
  readonly circuitBreaker: BreakerSettings | undefined;
  readonly concurrency: ConcurrencySettings;
  readonly deduplicate: Deduplication;
}

/**
 * Determines which identical queries are sent once: none (`never`), those of one user while the first of them waits to
 * be sent (`unsent`), or those of any clients until the response is complete (`in-flight`).
 */
export const DEDUPLICATION = ['never', 'unsent', 'in-flight'] as const;
export type Deduplication = (typeof DEDUPLICATION)[number];

export interface RetrySettings {
  /** The maximum number of retries of a query. 0 disables retries. */
  readonly limit: number;
  /** The number of retries permitted per 100 queries. */
  readonly budgetPercent: number;
  /** The maximum pause before the first retry, in milliseconds. The maximum doubles for each further retry. */
  readonly backoffMs: number;
}

export interface BreakerSettings {
  /** The percentage of failed requests in the window at which the circuit opens: 1 to 100. */
  readonly failurePercent: number;
  readonly windowMs: number;
  /** The minimum number of requests in the window for the circuit to open. */
  readonly minimumRequests: number;
  /** The time for which an open circuit sends nothing, in milliseconds. */
  readonly openMs: number;
  /** The number of requests that have to succeed to close the circuit. Also the maximum number of concurrent probes. */
  readonly halfOpenProbes: number;
}

export interface ConcurrencySettings {
  /** The maximum number of concurrent requests. */
  readonly maxInFlight: number;
  /** The maximum number of requests that wait for a slot. */
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
