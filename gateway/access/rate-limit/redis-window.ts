import { Redis } from 'ioredis';
import { COUNTING_REDIS, connectionErrors } from '../../../platform/index.ts';
import { type CountingWindow, type RateLimitDecision, WINDOW_SECONDS } from './window.ts';

/*
 * Uses the server's clock, so that replicas with different clocks agree. A key is a hash from seconds to counts and outlives
 * the window of its last count a little. A second in the future dates from before the clock was set back.
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
  /** @returns 0 if the operation was counted, otherwise the seconds until there is room again. */
  take(key: string, most: number, window: number): Promise<number>;
}

/** Counts in Redis with one atomic script, for all replicas that use it. Rejects if Redis fails. */
export function redisWindow(url: string): CountingWindow {
  const redis = new Redis(url, {
    scripts: { take: { lua: TAKE, numberOfKeys: 1 } },
    keyPrefix: 'portico:rate:',
    connectionName: 'portico',
    ...COUNTING_REDIS,
  }) as Redis & TakeCommand;
  const run = connectionErrors(redis);

  return {
    take: async (key, most): Promise<RateLimitDecision> => {
      const wait = await run(redis.take(key, most, WINDOW_SECONDS));
      return wait === 0 ? { admitted: true } : { admitted: false, retryAfterSeconds: wait };
    },
    close: () => redis.disconnect(),
  };
}
