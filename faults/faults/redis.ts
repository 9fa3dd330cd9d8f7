import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from '../cluster/index.ts';
import type { Fault } from '../fault.ts';

const redisFault = (name: string, run: (redis: Redis, scene: Parameters<Fault['run']>[0]) => Promise<void>): Fault => ({
  name: `Redis ${name}`,
  group: 'redis',
  promise: 'no request fails: rates are counted without it',
  missing: ({ redis }) => (redis ? undefined : 'Redis is not installed'),
  run: async (scene) => {
    if (scene.cluster.redis) await run(scene.cluster.redis, scene);
  },
});

const REDIS_ANSWER_WITHIN_MS = 1_000;

/** Whether Redis has connections besides the suite's own. */
async function hasClients(redis: Redis): Promise<boolean> {
  return (
    String(await redis.run('CLIENT', 'LIST', 'TYPE', 'normal'))
      .trim()
      .split('\n').length > 1
  );
}

async function redisAnswers(redis: Redis): Promise<boolean> {
  const answer = redis.run('PING').then(
    () => true,
    () => false,
  );
  return Promise.race([answer, sleep(REDIS_ANSWER_WITHIN_MS, false)]);
}

export const redisAway = (seconds: number): Fault =>
  redisFault('away', async (redis, { wait, gone, tookEffect }) => {
    const wasUsed = await hasClients(redis);
    await redis.stop();
    await wait(seconds);
    if (wasUsed && !(await redisAnswers(redis))) tookEffect();
    await redis.start();
    gone();
  });

export const redis: readonly Fault[] = [
  redisFault('resets connections', async (redis, { wait, gone, tookEffect }) => {
    for (let count = 0; count < 4; count++) {
      const reset = Number(await redis.run('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes'));
      if (reset > 0) tookEffect();
      await wait(1);
    }
    gone();
  }),
  redisFault('frozen', async (redis, { wait, gone, onEnd, tookEffect }) => {
    const wasUsed = await hasClients(redis);
    onEnd(() => redis.thaw());
    redis.freeze();
    await wait(8);
    if (wasUsed && !(await redisAnswers(redis))) tookEffect();
    redis.thaw();
    gone();
  }),
  redisAway(8),
  redisFault('full', async (redis, { wait, gone, onEnd, tookEffect }) => {
    const limit = (bytes: string) => redis.run('CONFIG', 'SET', 'maxmemory', bytes);
    onEnd(() => limit('0'));
    await redis.run('CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
    await redis.run('CONFIG', 'RESETSTAT');
    await limit('1');
    await wait(6);
    // Writes of the gateways that were refused.
    if (/^errorstat_OOM:count=[1-9]/m.test(String(await redis.run('INFO', 'errorstats')))) tookEffect();
    await limit('0');
    gone();
  }),
];
