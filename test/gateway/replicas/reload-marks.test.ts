import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { openReloadMarks, type ReloadMarks } from '../../../gateway/operations/replicas/index.ts';
import { createLogger } from '../../../platform/index.ts';
import { keeper, until } from '../harness/index.ts';
import { openForest } from '../operation/service.ts';
import { isRedisThere, REDIS_DATABASES, REDIS_URL, redisRelay } from '../rate-limit/redis.ts';

const withRedis = (await isRedisThere()) ? describe : describe.skip;
const DATABASE = REDIS_DATABASES.reloadMarks;
const REDIS = `${REDIS_URL}/${DATABASE}`;

const forest = await openForest();
afterAll(forest.close);
const { keep, close } = keeper();
afterAll(close);

interface Seeing extends ReloadMarks {
  /** What it was told to do, in turn: whether to ask the services again. */
  readonly told: boolean[];
}

async function open(url = REDIS, startedAt = performance.now()): Promise<Seeing> {
  const told: boolean[] = [];
  const log = createLogger('test', 'silent');
  return keep({ ...openReloadMarks({ redisUrl: url, log, startedAt, onReload: (ask) => void told.push(ask) }), told });
}

withRedis('a reload of one gateway', () => {
  let redis: Redis;

  beforeEach(async () => {
    redis ??= await keep(Object.assign(new Redis(REDIS), { close: () => redis.disconnect() }));
    await redis.flushdb();
  });

  test('reaches the others once, and not itself', async () => {
    const [one, two, three] = [await open(), await open(), await open()];
    await one.leave(true);
    await until('both know', () => two.told.length > 0 && three.told.length > 0);
    await two.leave(false);
    await until('both know', () => one.told.length > 0 && three.told.length > 1);
    expect([one.told, two.told, three.told]).toEqual([[false], [true], [true, false]]);
  });

  test('is not lost on one that reloads itself before it has looked', async () => {
    const [one, two] = [await open(), await open()];
    await one.leave(true);
    // Whether it has looked meanwhile or not: it hears of it once.
    await two.leave(false);
    expect(two.told).toEqual([true]);
  });

  test('is seen later by one that could not reach Redis meanwhile', async () => {
    const relay = await keep(redisRelay());
    const [one, two] = [await open(), await open(`${relay.url}/${DATABASE}`)];
    await relay.stop();
    await one.leave(true);
    await one.leave(false);
    await relay.start();
    await until('it is seen', () => two.told.length > 0);
    expect(two.told).toEqual([true]);
  });

  test('counts although the clock of Redis was set back', async () => {
    await redis.hset('portico:reloads', { any: '4102444800000000', ask: '4102444800000000' });
    const [one, two] = [await open(), await open()];
    await one.leave(true);
    expect(await redis.hget('portico:reloads', 'any')).toBe('4102444800000001');
    await until('it is seen', () => two.told.length > 0);
  });

  test('that took place before a gateway started does not reach it', async () => {
    await (await open()).leave(true);
    // The mark's time is known up to the delay of Redis's answer; a doubtful one counts.
    const later = await open(REDIS, performance.now() + 5_000);
    await later.leave(false);
    expect(later.told).toEqual([]);
  });

  test('that took place while a gateway was starting reaches it', async () => {
    const startedAt = performance.now();
    await (await open()).leave(true);
    const starting = await open(REDIS, startedAt);
    await until('it is seen', () => starting.told.length > 0);
    expect(starting.told).toEqual([true]);
  });

  test('answers 503 when the others cannot be notified, and has taken effect where it was asked for', async () => {
    const relay = await keep(redisRelay());
    const gateway = await forest.gateway({
      environment: { PORTICO_REDIS_URL: `${relay.url}/${DATABASE}`, HASURA_GRAPHQL_ADMIN_SECRET: 'an admin secret' },
    });
    const reload = () =>
      gateway.post(
        '/v1/metadata',
        { type: 'reload_metadata', args: {} },
        { 'x-hasura-admin-secret': 'an admin secret' },
      );
    expect((await reload()).status).toBe(200);
    await relay.stop();
    const { status, headers, body } = await reload();
    expect([status, headers['retry-after']]).toEqual([503, '1']);
    expect(body).toMatchObject({ code: 'service-unavailable' });
    expect(gateway.logs().split('metadata.reloaded')).toHaveLength(3);
  });
});
