import type { Redis } from '../cluster/index.ts';
import type { Fault } from '../fault.ts';

const redisFault = (name: string, run: (redis: Redis, scene: Parameters<Fault['run']>[0]) => Promise<void>): Fault => ({
  name: `Redis ${name}`,
  group: 'redis',
  promise: 'no request fails: rates and failed logins are counted without it',
  missing: ({ redis }) => (redis ? undefined : 'Redis is not installed'),
  run: async (scene) => {
    if (scene.cluster.redis) await run(scene.cluster.redis, scene);
  },
});

export const redisAway = (seconds: number): Fault =>
  redisFault('away', async (redis, { wait, gone }) => {
    await redis.stop();
    await wait(seconds);
    await redis.start();
    gone();
  });

export const redis: readonly Fault[] = [
  redisFault('resets connections', async (redis, { wait, gone }) => {
    for (let count = 0; count < 4; count++) {
      await redis.run('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
      await wait(1);
    }
    gone();
  }),
  redisFault('frozen', async (redis, { wait, gone, onEnd }) => {
    onEnd(() => redis.thaw());
    redis.freeze();
    await wait(8);
    redis.thaw();
    gone();
  }),
  redisAway(8),
  redisFault('full', async (redis, { wait, gone, onEnd }) => {
    const limit = (bytes: string) => redis.run('CONFIG', 'SET', 'maxmemory', bytes);
    onEnd(() => limit('0'));
    await redis.run('CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
    await limit('1');
    await wait(6);
    await limit('0');
    gone();
  }),
];
