import type { RedisOptions } from 'ioredis';

/** ioredis options for counters: a command succeeds or fails soon, and is never sent twice. */
export const COUNTING_REDIS = {
  connectTimeout: 2_000,
  /** A connection without a reply for this long is closed and replaced. */
  socketTimeout: 2_000,
  /** How long a disconnect may take: a connection that is already lost would keep the process alive. */
  disconnectTimeout: 100,
  retryStrategy: (attempt) => Math.min(attempt * 100, 1_000),
  // Commands that wait for a connection fail as soon as connecting fails.
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
} satisfies RedisOptions;
