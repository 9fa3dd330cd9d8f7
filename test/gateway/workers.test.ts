import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { buildSchema, graphqlSync } from 'graphql';
import { Redis } from 'ioredis';
import { openReloadMarks } from '../../gateway/replicas/index.ts';
import { createLogger } from '../../platform/index.ts';
import { type Process, start } from './cli/portico.ts';
import { freePort, keeper, reply, send, serve, until } from './harness/index.ts';
import { metadataDirectory } from './harness/metadata-directory.ts';
import { isRedisThere, REDIS_URL } from './rate-limit/redis.ts';

const ADMIN_SECRET = 'correct-horse-battery-staple';
const withRedis = (await isRedisThere()) ? test : test.skip;
/** A number of its own: it is emptied. */
const REDIS = `${REDIS_URL}/12`;
const { keep, close } = keeper();
afterAll(close);

let directory: string;
let gateway: Process;
let url: string;
let metricsUrl: string;

/** The lines of its log so far. */
const lines = (): Record<string, unknown>[] =>
  gateway
    .written()
    .split('\n')
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
    .map((line) => JSON.parse(line));
const logged = (msg: string) => lines().filter((line) => line.msg === msg);
/** Which workers have told this. */
const workers = (msg: string) => [...new Set(logged(msg).map((line) => line.worker))];
/** A worker's process. */
const pidOf = (worker: unknown) =>
  Number(logged('the gateway is listening').find((line) => line.worker === worker)?.pid);

/** Asks the metadata API for a reload. */
async function reload(): Promise<number> {
  const { status } = await send(`${url}/v1/metadata`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-hasura-admin-secret': ADMIN_SECRET },
    body: JSON.stringify({ type: 'reload_metadata' }),
  });
  return status;
}

function open(port: number, count: number, more: Record<string, string> = {}, served = directory): Process {
  return start(['serve', served, '--workers', String(count)], {
    environment: {
      HASURA_GRAPHQL_SERVER_PORT: String(port),
      HASURA_GRAPHQL_ADMIN_SECRET: ADMIN_SECRET,
      PORTICO_METADATA_WATCH: 'false',
      HASURA_GRAPHQL_GRACEFUL_SHUTDOWN_TIMEOUT: '1',
      ...more,
    },
  });
}

beforeAll(async () => {
  const metadata = await keep(metadataDirectory({ 'version.yaml': { version: 3 } }));
  directory = metadata.path;
  const metricsPort = await freePort();
  metricsUrl = `http://127.0.0.1:${metricsPort}/metrics`;
  gateway = await keep(open(0, 2, { PORTICO_METRICS_PORT: String(metricsPort) }));
  await until('all workers listen', () => logged('all workers are listening').length === 1);
  url = `http://127.0.0.1:${logged('all workers are listening')[0]?.port}`;
}, 60_000);

describe('a gateway of several workers', () => {
  test('serves one port with all of them', async () => {
    for (let i = 0; i < 10; i++) expect((await send(`${url}/healthz`)).status).toBe(200);
    await until('both have answered', () => workers('request').length === 2);
  });

  test('tells the metrics of all of them at one place', async () => {
    await until('both are there', async () => {
      const { status, text } = await send(metricsUrl);
      expect(status).toBe(200);
      return [1, 2].every((worker) => text.includes(`portico_http_requests_total{worker="${worker}",status="200"}`));
    });
    const { text } = await send(metricsUrl);
    expect(text.match(/^# TYPE portico_reloads_total counter$/gm)).toHaveLength(1);
  });

  test('reloads in all of them on SIGHUP', async () => {
    gateway.signal('SIGHUP');
    await until('both have reloaded', () => workers('the metadata has been reloaded').length === 2);
  });

  test('has reloaded in all of them when the metadata API answers', async () => {
    const before = logged('the metadata has been reloaded').length;
    expect(await reload()).toBe(200);
    await until('both have told', () => logged('the metadata has been reloaded').length === before + 2);
    const reasons = logged('the metadata has been reloaded')
      .slice(before)
      .map((line) => line.reason);
    expect(reasons.sort()).toEqual(['another worker', 'the metadata API']);
  });

  test('starts a worker again that has died, and goes on serving', async () => {
    process.kill(pidOf(1), 'SIGKILL');
    await until('it is missed', () => logged('a worker has died and is started again').length === 1);
    // What changes while the new one starts is not lost on it, and nobody waits for it.
    do expect(await reload()).toBe(200);
    while (logged('a worker has taken the place of one that died').length === 0);
    await until('the new one has reloaded', () => workers('the metadata has been reloaded').includes(3));
    await until('it is replaced', () => logged('a worker has taken the place of one that died').length === 1);
    expect(logged('a worker has died and is started again')).toMatchObject([{ worker: 1, how: 'SIGKILL' }]);
    for (let i = 0; i < 10; i++) expect((await send(`${url}/healthz`)).status).toBe(200);
    await until('the new one has answered', () => workers('request').includes(3));
  });

  test('stops all of them on SIGTERM', async () => {
    const pids = [pidOf(2), pidOf(3)];
    gateway.signal('SIGTERM');
    expect((await gateway.ended).code).toBe(0);
    for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });
});

test('a port that is in use is told once, not by every worker', async () => {
  const other = await keep(serve(() => {}));
  const { code, stderr } = await open(other.port, 3).ended;
  expect(code).toBe(1);
  expect(stderr.match(/is already in use/g)).toHaveLength(1);
});

test('a reload that is asked for before all workers have started does not end them', async () => {
  const starting = await keep(open(0, 2));
  await until('the first one listens', () => starting.written().includes('the gateway is listening'));
  starting.signal('SIGHUP');
  await until('all workers listen', () => starting.written().includes('all workers are listening'));
  await until('the first one has reloaded', () => starting.written().includes('the metadata has been reloaded'));
  starting.signal('SIGTERM');
  expect((await starting.ended).code).toBe(0);
});

test('a worker that does not end when it is stopped is killed', async () => {
  const stuck = await keep(open(0, 2));
  await until('all workers listen', () => stuck.written().includes('all workers are listening'));
  const [first] = stuck
    .written()
    .split('\n')
    .filter((line) => line.includes('the gateway is listening'))
    .map((line) => JSON.parse(line));
  process.kill(first.pid, 'SIGSTOP');
  stuck.signal('SIGTERM');
  expect((await stuck.ended).code).toBe(0);
  expect(stuck.written()).toContain('a worker has not stopped in time and is killed');
  expect(() => process.kill(first.pid, 0)).toThrow('ESRCH');
}, 30_000);

test('metrics are there while all workers wait for a source', async () => {
  const silent = await keep(serve(() => {}));
  const port = await freePort();
  const metadata = await keep(
    metadataDirectory({ 'remote_schemas.yaml': [{ name: 'silent', definition: { url: silent.url } }] }),
  );
  const more = { PORTICO_METRICS_PORT: String(port), PORTICO_READY_GRACE_SECONDS: '600' };
  const starting = await keep(open(0, 2, more, metadata.path));
  const answers = async () => (await send(`http://127.0.0.1:${port}/metrics`).catch(() => undefined))?.text ?? '';
  for (const worker of [1, 2]) {
    const waiting = `portico_source_schema{worker="${worker}",source="silent"} 0`;
    await until('the metrics of both are there', async () => (await answers()).includes(waiting));
  }
  expect(await answers()).toContain('portico_workers{state="starting"} 2');
  expect(await answers()).toContain('portico_workers{state="listening"} 0');
  expect(starting.written()).not.toContain('the gateway is listening');
  starting.signal('SIGTERM');
  expect((await starting.ended).code).toBe(0);
});

withRedis(
  'a reload of another gateway reaches workers that are waiting for a source',
  async () => {
    const redis = new Redis(REDIS);
    await keep({ close: () => redis.disconnect() });
    await redis.flushdb();
    const schema = buildSchema('type Query { slow: Int }');
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const slow = await keep(
      serve(async ({ body }, response) => {
        await released;
        reply(response, 200, graphqlSync({ schema, source: (body as { query: string }).query }));
      }),
    );
    const metadata = await keep(
      metadataDirectory({ 'remote_schemas.yaml': [{ name: 'slow', definition: { url: slow.url } }] }),
    );
    const more = { PORTICO_REDIS_URL: REDIS, PORTICO_READY_GRACE_SECONDS: '600' };
    const starting = await keep(open(0, 2, more, metadata.path));
    await until('both workers wait for the source', () => slow.requests.length >= 2);
    const log = createLogger('test', 'silent');
    const startedAt = performance.now();
    const other = await keep(openReloadMarks({ redisUrl: REDIS, log, startedAt, onReload: () => {} }));
    await other.leave(true);
    expect(starting.written()).not.toContain('the gateway is listening');
    release();
    const reloaded = () => starting.written().split('the metadata has been reloaded').length - 1;
    await until('both have reloaded', () => reloaded() === 2);
  },
  60_000,
);
