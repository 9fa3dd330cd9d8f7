import type { Redis, RedisOptions } from 'ioredis';

/** ioredis options for counters. A command succeeds or fails quickly, and is never sent twice. */
export const COUNTING_REDIS = {
  connectTimeout: 2_000,
  /** A connection without a reply for this long is closed and replaced. */
  socketTimeout: 2_000,
  /** How long a disconnect may take. A connection that is already lost would keep the process alive. */
  disconnectTimeout: 100,
  retryStrategy: (attempt) => Math.min(attempt * 100, 1_000),
  // After a failover, the server of this connection may be a replica. The name in the URL leads to the new primary.
  reconnectOnError: ({ message }) => message.includes('READONLY'),
  // Commands that wait for a connection fail as soon as connecting fails.
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
} satisfies RedisOptions;

/**
 * Listens for the errors of a connection, which would otherwise end the process. Commands that wait for the connection fail.
 *
 * @returns a function that adds the cause to a failed command, since ioredis only reports that it has stopped trying.
 */
export function connectionErrors(redis: Redis): <Result>(command: Promise<Result>) => Promise<Result> {
  let last: Error | undefined;
  redis.on('error', (error) => {
    last = error;
  });
  redis.on('ready', () => {
    last = undefined;
  });
  return async (command) => {
    try {
      return await command;
    } catch (error) {
      if ((error as Error).name !== 'MaxRetriesPerRequestError') throw error;
      throw last ?? new Error('the connection was lost', { cause: error });
    }
  };
}
