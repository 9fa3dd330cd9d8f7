import { Redis } from 'ioredis';
import { type Admission, type CountingWindow, WINDOW_SECONDS } from './window.ts';

/*
 * The clock is the server's, so that replicas with different clocks agree. A key is a hash from seconds to counts and
 * lives a little longer than the last of them counts. A second from the future is left from before the clock was set
 * back.
 */
const TAKE = `
local most, window = tonumber(ARGV[1]), tonumber(ARGV[2])
local now = tonumber(redis.call('TIME')[1])
local counts = redis.call('HGETALL', KEYS[1])
local used, oldest = 0, now
for at = 1, #counts, 2 do
  local second = tonumber(counts[at])
  if second <= now - window or second > now + window then
    redis.call('HDEL', KEYS[1], counts[at])
  else
    used = used + tonumber(counts[at + 1])
    oldest = math.min(oldest, second)
  end
end
if used >= most then return oldest + window - now end
redis.call('HINCRBY', KEYS[1], now, 1)
redis.call('EXPIRE', KEYS[1], window + 1)
return 0
`;

interface TakeCommand {
  /** @returns 0 when it was counted, else the seconds until there is room again. */
  take(key: string, most: number, window: number): Promise<number>;
}

const CONNECT_TIMEOUT_MS = 2_000;
/** A connection on which an answer is owed for this long is given up and made anew. */
const SILENCE_MS = 2_000;
/** How long an end may take; one that was lost before is waited for in vain, and would keep the process alive. */
const DISCONNECT_MS = 100;

/** Counts in Redis, for all replicas that use the same one, in one atomic step. Any failure of Redis is thrown. */
export function redisWindow(url: string): CountingWindow {
  const redis = new Redis(url, {
    scripts: { take: { lua: TAKE, numberOfKeys: 1 } },
    keyPrefix: 'portico:rate:',
    connectionName: 'portico',
    connectTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SILENCE_MS,
    disconnectTimeout: DISCONNECT_MS,
    retryStrategy: (attempt) => Math.min(attempt * 100, 1_000),
    // What waits for a connection fails as soon as one cannot be made.
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
  }) as Redis & TakeCommand;
  // A lost connection shows in the commands that fail; without a listener it would end the process.
  redis.on('error', () => {});

  return {
    take: async (key, most): Promise<Admission> => {
      const wait = await redis.take(key, most, WINDOW_SECONDS);
      return wait === 0 ? { admitted: true } : { admitted: false, retryAfterSeconds: wait };
    },
    close: () => redis.disconnect(),
  };
}
