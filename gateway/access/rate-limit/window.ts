/** The result of counting one operation. */
export type RateLimitDecision =
  | { readonly admitted: true }
  | { readonly admitted: false; readonly retryAfterSeconds: number };

/**
 * Counts the operations of each caller in the last minute, second by second. A second counts until all of it is more than a
 * minute ago, so that no interval of 60 s, wherever it begins, holds more than was allowed. Refused operations are not
 * counted: a caller who waits for `Retry-After` is admitted.
 */
export interface CountingWindow {
  /** Counts one operation for `key`, unless `most` are counted already. */
  take(key: string, most: number): Promise<RateLimitDecision>;
  /** Whether all replicas count together; undefined where each counts for itself on purpose. */
  readonly isShared?: boolean;
  close(): void;
}

/** Seconds of which the counts are kept: the sixty before, and the one that is not over yet. */
export const WINDOW_SECONDS = 61;
