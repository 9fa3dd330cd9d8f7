import { Redis } from 'ioredis';
import { COUNTING_REDIS, connectionErrors } from '../../platform/index.ts';
import {
  type AttemptStore,
  type BlockingCounter,
  CLOCK_TOLERANCE_MS,
  type ConsumeResult,
  type Counter,
  longestWait,
  refundsOf,
} from './store.ts';

/** A counter is a hash of `failures`, `at` (the time of the last count) and `until` (the end of the delay). */
const FIND_WAITS = `
local at, asked = tonumber(ARGV[1]), cjson.decode(ARGV[2])
local waiting = {}
for i, key in ipairs(KEYS) do
  local waits = asked[i].waitsMs
  local ends = tonumber(redis.call('HGET', key, 'until') or 0)
  -- One that ends later is of a clock that was wrong.
  if ends > at and ends <= at + waits[#waits] + ${CLOCK_TOLERANCE_MS} then
    table.insert(waiting, i)
    table.insert(waiting, ends)
  end
end
`;

const PEEK_SCRIPT = `${FIND_WAITS}
return waiting
`;

const CONSUME_SCRIPT = `${FIND_WAITS}
if #waiting > 0 then return { 0, waiting } end
local ends = {}
for i, key in ipairs(KEYS) do
  local terms, was = asked[i], redis.call('HMGET', key, 'failures', 'at')
  -- Another replica's clock may be ahead of this one's.
  local last = math.max(at, tonumber(was[2] or at))
  local faded = tonumber(was[1] or 0) - terms.fading * (last - tonumber(was[2] or at))
  local failures = math.min(terms.most, math.max(0, faded) + 1)
  -- What has faded a little still counts as a whole failure.
  local whole = math.ceil(failures - 0.000001)
  -- Without a wait its end is long ago, so that no clock that is behind sees one.
  local wait, stop = 0, 0
  if whole >= terms.free then
    wait = terms.waitsMs[math.min(whole - terms.free + 1, #terms.waitsMs)]
    stop = at + wait
  end
  redis.call('HSET', key, 'failures', string.format('%.9f', failures), 'at', string.format('%.0f', last),
    'until', string.format('%.0f', stop))
  redis.call('PEXPIRE', key, math.ceil(math.max(wait, failures / terms.fading)))
  table.insert(ends, stop)
end
return { 1, ends }
`;

const REFUND_SCRIPT = `
for i, given in ipairs(cjson.decode(ARGV[1])) do
  local key = KEYS[i]
  local was = redis.call('HMGET', key, 'failures', 'until')
  if was[1] then
    if given.all then
      redis.call('DEL', key)
    else
      redis.call('HSET', key, 'failures', string.format('%.9f', math.max(0, tonumber(was[1]) - 1)))
      if tonumber(was[2]) == given['end'] then redis.call('HSET', key, 'until', 0) end
    end
  end
end
return 0
`;

interface Commands {
  /** @returns 1 and the end of each key's delay, or 0 and pairs of a blocking key and the end of its delay. */
  consume(count: number, ...keysThenAtAndTerms: string[]): Promise<[number, number[]]>;
  refund(count: number, ...keysThenReturns: string[]): Promise<number>;
  /** @returns pairs as in `consume`. */
  peek(count: number, ...keysThenAtAndTerms: string[]): Promise<number[]>;
}

/** Counts in Redis with one script for each step. Every failure of Redis is thrown. */
export function redisAttemptStore(url: string): AttemptStore {
  const redis = new Redis(url, {
    scripts: { consume: { lua: CONSUME_SCRIPT }, refund: { lua: REFUND_SCRIPT }, peek: { lua: PEEK_SCRIPT } },
    keyPrefix: 'portico:attempts:',
    connectionName: 'portico-auth',
    ...COUNTING_REDIS,
  }) as Redis & Commands;
  const run = connectionErrors(redis);

  async function waits(counters: readonly Counter[], at: number): Promise<readonly BlockingCounter[]> {
    const keys = counters.map(({ key }) => key);
    return waitsFromPairs(keys, await run(redis.peek(keys.length, ...keys, String(at), schedulesOf(counters))));
  }

  return {
    async consume(counters, at): Promise<ConsumeResult> {
      const keys = counters.map(({ key }) => key);
      const [admitted, answer] = await run(redis.consume(keys.length, ...keys, String(at), schedulesOf(counters)));
      if (admitted === 1) {
        const ends = new Map(keys.map((key, index) => [key, answer[index] ?? at]));
        return {
          admitted: true,
          refund: async (forgotten) => {
            await run(redis.refund(keys.length, ...keys, JSON.stringify(refundsOf(ends, forgotten))));
          },
        };
      }
      return { admitted: false, ...(longestWait(waitsFromPairs(keys, answer)) ?? { key: '', until: at }) };
    },
    async peek(counters, at) {
      return longestWait(await waits(counters, at));
    },
    waits,
    async forget(keys) {
      if (keys.length > 0) await run(redis.del(...keys));
    },
    close: () => redis.disconnect(),
  };
}

function schedulesOf(counters: readonly Counter[]): string {
  return JSON.stringify(counters.map(({ schedule }) => schedule));
}

/** Indexes in Lua begin at 1. */
function waitsFromPairs(keys: readonly string[], answer: readonly number[]): readonly BlockingCounter[] {
  const found: BlockingCounter[] = [];
  for (let index = 0; index + 1 < answer.length; index += 2)
    found.push({ key: keys[(answer[index] ?? 0) - 1] ?? '', until: answer[index + 1] ?? 0 });
  return found;
}
