import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, test } from '@jest/globals';
import { readExposition } from '../../prometheus.ts';
import { freePort, send, type TestGateway, until } from '../harness/index.ts';
import { openForest } from '../operation/service.ts';
import { isRedisThere, REDIS_URL, redisRelay } from './redis.ts';

const forest = await openForest();
afterAll(forest.close);
const withRedis = (await isRedisThere()) ? describe : describe.skip;

const LIMITS = { rate_limit: { global: { max_reqs_per_min: 2, unique_params: ['x-hasura-user-id'] } } };

const replica = (url: string, environment: Record<string, string> = {}) =>
  forest.gateway({
    metadata: { 'api_limits.yaml': LIMITS },
    environment: { HASURA_GRAPHQL_RATE_LIMIT_REDIS_URL: url, ...environment },
  });

/** A caller that nobody has counted yet. */
function newcomer() {
  const token = forest.issuer.token({ hasura: { 'x-hasura-user-id': randomUUID() } });
  return (gateway: TestGateway) => gateway.graphql('{ hello }', { token });
}

const countOf = (gateway: TestGateway, text: string) => gateway.logs().split(text).length - 1;
const isLost = (gateway: TestGateway) => countOf(gateway, 'rate_limit.store_unavailable');
const isBack = (gateway: TestGateway) => countOf(gateway, 'rate_limit.store_recovered');

async function statuses(calls: readonly [(gateway: TestGateway) => Promise<{ status: number }>, TestGateway][]) {
  const found: number[] = [];
  for (const [call, gateway] of calls) found.push((await call(gateway)).status);
  return found;
}

withRedis('replicas that share a Redis', () => {
  test('count together', async () => {
    const [one, two] = [await replica(REDIS_URL), await replica(REDIS_URL)];
    const call = newcomer();
    expect(
      await statuses([
        [call, one],
        [call, two],
        [call, one],
        [call, two],
      ]),
    ).toEqual([200, 200, 429, 429]);
    expect((await call(two)).headers['retry-after']).toMatch(/^(6[01]|5\d)$/);
    expect([isLost(one), isLost(two)]).toEqual([0, 0]);
  });

  test('each count for themselves while it is gone, and together again when it is back', async () => {
    const relay = await redisRelay();
    const port = await freePort();
    const one = await replica(relay.url, { PORTICO_METRICS_PORT: String(port) });
    const two = await replica(relay.url);
    const isAvailable = async () =>
      readExposition((await send(`http://127.0.0.1:${port}/metrics`)).text).get(
        'portico_redis_available{purpose="rate-limits"}',
      );
    const before = newcomer();
    expect(
      await statuses([
        [before, one],
        [before, two],
        [before, one],
      ]),
    ).toEqual([200, 200, 429]);

    expect(await isAvailable()).toBe(1);

    await relay.stop();
    const during = newcomer();
    expect(
      await statuses([
        [during, one],
        [during, one],
        [during, one],
      ]),
    ).toEqual([200, 200, 429]);
    expect(
      await statuses([
        [during, two],
        [during, two],
        [during, two],
      ]),
    ).toEqual([200, 200, 429]);
    expect([isLost(one), isLost(two)]).toEqual([1, 1]);
    expect(await isAvailable()).toBe(0);

    await relay.start();
    await until('both have their Redis back', () => isBack(one) === 1 && isBack(two) === 1);
    expect(await isAvailable()).toBe(1);
    const after = newcomer();
    expect(
      await statuses([
        [after, one],
        [after, two],
        [after, two],
      ]),
    ).toEqual([200, 200, 429]);
    expect(await statuses([[before, one]])).toEqual([429]);
    await relay.close();
  });

  test('do not wait for one that takes requests and never answers', async () => {
    const relay = await redisRelay();
    const gateway = await replica(relay.url);
    expect((await newcomer()(gateway)).status).toBe(200);

    relay.hang();
    const call = newcomer();
    expect((await call(gateway)).status).toBe(200);
    expect(isLost(gateway)).toBe(1);
    const connections = relay.connections;
    expect(await statuses(Array(20).fill([newcomer(), gateway]))).toEqual([200, 200, ...Array(18).fill(429)]);
    await until('the silent connection is given up', () => relay.connections > connections);
    expect(isBack(gateway)).toBe(0);

    relay.resume();
    await until('it has its Redis back', () => isBack(gateway) === 1);
    expect(isLost(gateway)).toBe(1);
    expect(
      await statuses([
        [call, gateway],
        [call, gateway],
      ]),
    ).toContain(200);
    await relay.close();
  });

  test('refuse what they cannot count where the setting says so, and nothing else', async () => {
    const relay = await redisRelay();
    const gateway = await replica(relay.url, { PORTICO_RATE_LIMIT_REDIS_OUTAGE: 'closed' });
    const call = newcomer();
    expect((await call(gateway)).status).toBe(200);
    await relay.stop();
    const { status, headers, body } = await call(gateway);
    expect([status, headers['retry-after'], body.errors?.[0]?.extensions.code]).toEqual([
      503,
      '1',
      'service-unavailable',
    ]);
    const admin = forest.issuer.token({ role: 'admin', roles: ['admin'] });
    expect((await gateway.graphql('{ hello }', { token: admin })).status).toBe(200);

    await relay.start();
    await until('it has its Redis back', () => isBack(gateway) === 1);
    expect((await call(gateway)).status).toBe(200);
    await relay.close();
  });
});

describe('a Redis that is not there when the gateway starts', () => {
  test('keeps it from nothing', async () => {
    const gateway = await replica(`redis://user:hush-hush@127.0.0.1:${await freePort()}/1`);
    const call = newcomer();
    expect(
      await statuses([
        [call, gateway],
        [call, gateway],
        [call, gateway],
      ]),
    ).toEqual([200, 200, 429]);
    expect(isLost(gateway)).toBe(1);
    expect(gateway.logs()).not.toContain('hush-hush');
  });

  test.each(['127.0.0.1:6379', 'http://127.0.0.1:6379', 'redis'])('is asked for by a URL, not by %p', async (url) => {
    await expect(replica(url)).rejects.toThrow('HASURA_GRAPHQL_RATE_LIMIT_REDIS_URL');
  });

  test('leads to nothing else than "open" or "closed"', async () => {
    await expect(replica(REDIS_URL, { PORTICO_RATE_LIMIT_REDIS_OUTAGE: 'ajar' })).rejects.toThrow(
      'PORTICO_RATE_LIMIT_REDIS_OUTAGE',
    );
  });
});
