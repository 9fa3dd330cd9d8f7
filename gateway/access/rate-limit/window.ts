/** The result of counting one operation. */
export type RateLimitDecision =
  | { readonly admitted: true }
  | { readonly admitted: false; readonly retryAfterSeconds: number };

/**
 * Counts each caller's operations of the last minute, second by second. A second counts until all of it is more than a minute
 * ago. No interval of 60 s, wherever it begins, thus contains more operations than the limit. Rejected operations are not
 * counted, so a caller who waits for `Retry-After` is admitted.
 */
export interface CountingWindow {
  /** Counts one operation for `key`, unless `most` have been counted already. */
  take(key: string, most: number): Promise<RateLimitDecision>;
  /** Whether all replicas count together. Undefined if each counts for itself by configuration. */
  readonly isShared?: boolean;
  close(): void;
}

/** The number of seconds whose counts are kept: the last sixty and the current one. */
export const WINDOW_SECONDS = 61;
