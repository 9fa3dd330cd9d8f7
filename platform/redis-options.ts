import type { RedisOptions } from 'ioredis';

/** How counts are kept in Redis: whoever asks gets an answer or an error soon, and nothing is sent a second time. */
export const COUNTING_REDIS = {
  connectTimeout: 2_000,
  /** A connection on which an answer is owed for this long is given up and made anew. */
  socketTimeout: 2_000,
  /** How long an end may take; one that was lost before is waited for in vain, and would keep the process alive. */
  disconnectTimeout: 100,
  retryStrategy: (attempt) => Math.min(attempt * 100, 1_000),
  // What waits for a connection fails as soon as one cannot be made.
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
} satisfies RedisOptions;
