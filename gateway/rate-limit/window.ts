/** What came of asking for one more. */
export type Admission = { readonly admitted: true } | { readonly admitted: false; readonly retryAfterSeconds: number };

/**
 * Counts what each caller did in the last minute, second by second. A second counts until all of it is more than a
 * minute ago, so that no interval of 60 s, wherever it begins, holds more than was allowed. What is refused does not
 * count: whoever waits as long as told is admitted.
 */
export interface CountingWindow {
  /** Counts one more for `key`, unless it has `most` already. */
  take(key: string, most: number): Promise<Admission>;
  close(): void;
}

/** Seconds of which the counts are kept: the sixty before, and the one that is not over yet. */
export const WINDOW_SECONDS = 61;
