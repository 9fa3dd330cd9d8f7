import { createHash, randomInt, randomUUID } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { type DocumentStore, openDocumentStore } from '../../../gateway/operations/replicas/index.ts';
import { createLogger } from '../../../platform/index.ts';
import { bearer, type GraphqlBody, keeper, type TestGateway, until } from '../harness/index.ts';
import { openForest, PUBLIC_LOGIN } from '../operation/service.ts';
import { isRedisThere, REDIS_DATABASES, REDIS_URL, redisRelay } from '../rate-limit/redis.ts';

const withRedis = (await isRedisThere()) ? describe : describe.skip;
const DATABASE = REDIS_DATABASES.documentStore;
const REDIS = `${REDIS_URL}/${DATABASE}`;
const TEXTS = 'portico:{documents}:texts';

const forest = await openForest();
afterAll(forest.close);
const { keep, close } = keeper();
afterAll(close);

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');
const user = forest.issuer.token();
const replica = (url = REDIS) => forest.gateway({ environment: { PORTICO_REDIS_URL: url } });
/** A document that nobody has sent before. */
const fresh = () => `query fresh${randomInt(2 ** 40)} { hello }`;

/** Sends a hash, with its text when one is given. */
async function ask(
  gateway: TestGateway,
  hash: string,
  { query, token = user }: { query?: string; token?: string } = {},
) {
  const body = {
    ...(query !== undefined && { query }),
    extensions: { persistedQuery: { version: 1, sha256Hash: hash } },
  };
  return gateway.post<GraphqlBody>('/v1/graphql', body, token === '' ? {} : bearer(token));
}
const codeOf = (answer: Awaited<ReturnType<typeof ask>>) => answer.body.errors?.[0]?.extensions.code;

withRedis('documents that gateways share', () => {
  let redis: Redis;
  let store: DocumentStore;

  const open = async (url: string, bounds?: { documents: number; bytes: number }) =>
    keep(openDocumentStore({ redisUrl: url, log: createLogger('test', 'silent'), ...(bounds && { bounds }) }));

  beforeEach(async () => {
    redis ??= await keep(Object.assign(new Redis(REDIS), { close: () => redis.disconnect() }));
    await redis.flushdb();
    store ??= await open(REDIS);
  });

  /** Writes are not waited for; those of one connection are carried out in their order. */
  const kept = (one: DocumentStore, hash: string) =>
    until('it is kept', async () => (await one.find(hash)) !== undefined);

  test('are the oldest ones forgotten beyond a number', async () => {
    const small = await open(REDIS, { documents: 3, bytes: 10_000 });
    const texts = ['a', 'b', 'c', 'd', 'e'];
    for (const text of texts) small.keep(hashOf(text), text);
    await kept(small, hashOf('e'));
    expect(await Promise.all(texts.map((text) => small.find(hashOf(text))))).toEqual([
      undefined,
      undefined,
      'c',
      'd',
      'e',
    ]);
  });

  test('take no more bytes than they may, whatever is written', async () => {
    const small = await open(REDIS, { documents: 1_000, bytes: 100 });
    const texts = Array.from({ length: 20 }, (_, index) => `${index}-`.padEnd(30, 'ä'));
    for (const text of texts) small.keep(hashOf(text), text);
    await kept(small, hashOf(texts.at(-1) ?? ''));
    const bytes = (await redis.hvals(TEXTS)).reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    expect(bytes).toBeLessThanOrEqual(100);
    expect(Number(await redis.get('portico:{documents}:size'))).toBe(bytes);
  });

  test.each(['texts', 'kept', 'size'])('are kept again after Redis has evicted "%s"', async (key) => {
    const small = await open(REDIS, { documents: 2, bytes: 10_000 });
    for (const text of ['a', 'b']) small.keep(hashOf(text), text);
    await kept(small, hashOf('b'));
    await redis.del(`portico:{documents}:${key}`);
    for (const text of ['c', 'd']) small.keep(hashOf(text), text);
    await kept(small, hashOf('d'));
    expect((await redis.hkeys(TEXTS)).sort()).toEqual([hashOf('c'), hashOf('d')].sort());
    expect(await redis.get('portico:{documents}:size')).toBe('2');
  });

  test('are not served from Redis when their text does not match the hash', async () => {
    const hash = hashOf('{ hello }');
    await redis.hset(TEXTS, hash, '{ tree { name } }');
    expect(await store.find(hash)).toBeUndefined();
    expect(codeOf(await ask(await replica(), hash))).toBe('PERSISTED_QUERY_NOT_FOUND');
  });

  test('are known to another gateway, and validated for the caller’s role', async () => {
    const [one, two] = [await replica(), await replica()];
    const query = fresh();
    const hash = hashOf(query);
    expect((await ask(one, hash, { query })).body).toEqual({ data: { hello: 'hello' } });
    await kept(store, hash);
    expect((await ask(two, hash)).body).toEqual({ data: { hello: 'hello' } });
  });

  test('are neither looked up nor kept for callers without a session, or with a bad token', async () => {
    const [one, two] = [await replica(), await replica()];
    const hash = hashOf(PUBLIC_LOGIN);
    expect((await ask(one, hash, { query: PUBLIC_LOGIN, token: '' })).body.errors).toBeUndefined();
    const ofUser = fresh();
    await ask(one, hashOf(ofUser), { query: ofUser });
    await kept(store, hashOf(ofUser));
    expect(await redis.hkeys(TEXTS)).toEqual([hashOf(ofUser)]);
    expect(codeOf(await ask(two, hashOf(ofUser), { token: '' }))).toBe('PERSISTED_QUERY_NOT_FOUND');
    expect((await ask(two, hashOf(ofUser), { token: 'not.a.token' })).status).toBe(401);
  });

  test('are what each gateway knows by itself while Redis hangs, and shared again afterwards', async () => {
    const relay = await keep(redisRelay());
    const [one, two] = [await replica(`${relay.url}/${DATABASE}`), await replica()];
    relay.hang();
    const { connections } = relay;
    const query = fresh();
    const hash = hashOf(query);
    expect(codeOf(await ask(one, hash))).toBe('PERSISTED_QUERY_NOT_FOUND');
    expect((await ask(one, hash, { query })).body).toEqual({ data: { hello: 'hello' } });
    expect((await ask(one, hash)).body).toEqual({ data: { hello: 'hello' } });
    const other = fresh();
    await ask(two, hashOf(other), { query: other });
    expect(codeOf(await ask(one, hashOf(other)))).toBe('PERSISTED_QUERY_NOT_FOUND');
    // What the relay has swallowed is owed on the old connections for ever.
    await until('they are given up', () => relay.connections > connections);
    relay.resume();
    await until('it is shared', async () => (await ask(one, hashOf(other))).body.data?.hello === 'hello');
    // A read-only replica has answered reads all the time.
    expect(await redis.exists('portico:{documents}:probe')).toBe(1);
  });
});

test('a hash that was never sent is not found, with and without a store', async () => {
  const gateway = await forest.gateway();
  expect(codeOf(await ask(gateway, hashOf(randomUUID())))).toBe('PERSISTED_QUERY_NOT_FOUND');
});
