import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { memoryWindow } from '../../../gateway/access/rate-limit/memory-window.ts';
import { redisWindow } from '../../../gateway/access/rate-limit/redis-window.ts';
import type { CountingWindow } from '../../../gateway/access/rate-limit/window.ts';
import { keeper } from '../harness/keep.ts';
import { isRedisThere, REDIS_URL } from './redis.ts';

const { keep, close } = keeper();
afterAll(close);
const withRedis = (await isRedisThere()) ? describe : describe.skip;

const admitted = { admitted: true };

async function takeMany(window: CountingWindow, key: string, most: number, times: number): Promise<number> {
  const answers = await Promise.all(Array.from({ length: times }, () => window.take(key, most)));
  return answers.filter((answer) => answer.admitted).length;
}

describe('in memory', () => {
  function window(): { at(seconds: number): void } & CountingWindow {
    let now = 0;
    const at = (seconds: number) => {
      now = seconds * 1000;
    };
    return { ...memoryWindow(() => now), at };
  }

  test('admits as many as allowed, and says when there is room again', async () => {
    const counts = window();
    counts.at(100.5);
    expect(await takeMany(counts, 'a', 3, 5)).toBe(3);
    expect(await counts.take('a', 3)).toEqual({ admitted: false, retryAfterSeconds: 61 });
    counts.at(130.2);
    expect(await counts.take('a', 3)).toEqual({ admitted: false, retryAfterSeconds: 31 });
  });

  test('admits after as long as it said, and not before', async () => {
    const counts = window();
    counts.at(100.9);
    await counts.take('a', 1);
    for (const moment of [101, 150, 160, 160.999]) {
      counts.at(moment);
      expect(await counts.take('a', 1)).toMatchObject({ admitted: false });
    }
    counts.at(161);
    expect(await counts.take('a', 1)).toEqual(admitted);
  });

  test('holds in every minute, wherever it begins, and not only from minute to minute', async () => {
    const counts = window();
    const moments: number[] = [];
    for (let tenth = 0; tenth < 3_000; tenth++) {
      counts.at(tenth / 10);
      if ((await counts.take('a', 7)).admitted) moments.push(tenth / 10);
    }
    const inTheMinuteFrom = (start: number) => moments.filter((one) => one >= start && one < start + 60).length;
    expect(Math.max(...moments.map(inTheMinuteFrom))).toBe(7);
    expect(moments.length).toBe(35);
  });

  test('what was refused does not make the wait longer', async () => {
    const counts = window();
    counts.at(0);
    await counts.take('a', 1);
    for (let second = 1; second < 61; second++) {
      counts.at(second);
      await counts.take('a', 1);
    }
    counts.at(61);
    expect(await counts.take('a', 1)).toEqual(admitted);
  });

  test('room comes back as it was used, not all at once', async () => {
    const counts = window();
    counts.at(0);
    await takeMany(counts, 'a', 4, 2);
    counts.at(30);
    await takeMany(counts, 'a', 4, 2);
    counts.at(61);
    expect(await takeMany(counts, 'a', 4, 4)).toBe(2);
    expect(await counts.take('a', 4)).toEqual({ admitted: false, retryAfterSeconds: 30 });
  });

  test('callers are counted apart', async () => {
    const counts = window();
    expect(await takeMany(counts, 'a', 2, 3)).toBe(2);
    expect(await takeMany(counts, 'b', 2, 3)).toBe(2);
  });

  test('a flood of callers evicts the least recently seen ones', async () => {
    const counts = window();
    await counts.take('quiet', 1);
    await counts.take('busy', 1);
    for (let index = 0; index < 20_000; index++) {
      await counts.take(`caller ${index}`, 1);
      if (index % 5_000 === 0) await counts.take('busy', 1);
    }
    expect(await counts.take('busy', 1)).toMatchObject({ admitted: false });
    expect(await counts.take('quiet', 1)).toEqual(admitted);
  });
});

withRedis('in Redis', () => {
  const key = () => `test-${randomUUID()}`;
  const replica = () => keep(redisWindow(REDIS_URL));

  test('admits as many as allowed, and says when there is room again', async () => {
    const counts = await replica();
    const caller = key();
    expect(await takeMany(counts, caller, 3, 5)).toBe(3);
    const refused = await counts.take(caller, 3);
    expect(refused).toEqual({ admitted: false, retryAfterSeconds: expect.any(Number) });
    const { retryAfterSeconds } = refused as { retryAfterSeconds: number };
    expect(retryAfterSeconds).toBeGreaterThan(50);
    expect(retryAfterSeconds).toBeLessThanOrEqual(61);
  });

  test('two replicas that are asked at the same time admit no more than one would', async () => {
    const [one, two] = [await replica(), await replica()];
    const caller = key();
    const counts = await Promise.all([takeMany(one, caller, 50, 100), takeMany(two, caller, 50, 100)]);
    expect((counts[0] ?? 0) + (counts[1] ?? 0)).toBe(50);
  });

  test('seconds that are over no longer count, those before still do, and both keep their order', async () => {
    const redis = await keep(openRedis());
    const counts = await replica();
    const caller = key();
    const now = Number((await redis.time())[0]);
    await redis.hset(`portico:rate:${caller}`, { [now - 62]: 5, [now - 61]: 5, [now - 40]: 2, [now + 3_600]: 9 });
    expect(await takeMany(counts, caller, 4, 4)).toBe(2);
    const refused = (await counts.take(caller, 4)) as { retryAfterSeconds: number };
    expect(refused.retryAfterSeconds).toBeLessThanOrEqual(21);
    expect(refused.retryAfterSeconds).toBeGreaterThan(10);
    const left = await redis.hgetall(`portico:rate:${caller}`);
    expect(Object.keys(left)).not.toEqual(expect.arrayContaining([String(now - 62)]));
    expect(left).not.toHaveProperty(String(now + 3_600));
  });

  test('leaves nothing behind: what is counted goes by itself', async () => {
    const redis = await keep(openRedis());
    const counts = await replica();
    const caller = key();
    await counts.take(caller, 1);
    const ttl = await redis.ttl(`portico:rate:${caller}`);
    expect(ttl).toBeGreaterThan(50);
    expect(ttl).toBeLessThanOrEqual(62);
  });

  test('counts on after the scripts of the server were flushed', async () => {
    const redis = await keep(openRedis());
    const counts = await replica();
    const caller = key();
    await counts.take(caller, 2);
    await redis.script('FLUSH');
    expect(await takeMany(counts, caller, 2, 3)).toBe(1);
  });

  function openRedis() {
    const redis = new Redis(REDIS_URL);
    return Object.assign(redis, { close: () => redis.disconnect() });
  }
});
