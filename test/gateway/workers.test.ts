import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { Agent, get, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { buildSchema, graphqlSync } from 'graphql';
import { Redis } from 'ioredis';
import { openReloadMarks } from '../../gateway/operations/replicas/index.ts';
import { createLogger } from '../../platform/index.ts';
import { COMMAND, type Process, type RunOptions, start } from './cli/portico.ts';
import { freePort, keeper, reply, send, serve, until } from './harness/index.ts';
import { metadataDirectory } from './harness/metadata-directory.ts';
import { isRedisThere, REDIS_DATABASES, REDIS_URL } from './rate-limit/redis.ts';

const ADMIN_SECRET = 'correct-horse-battery-staple';
const withRedis = (await isRedisThere()) ? test : test.skip;
const REDIS = `${REDIS_URL}/${REDIS_DATABASES.workers}`;
const { keep, close } = keeper();
afterAll(close);

let directory: string;
let gateway: Process;
let url: string;
let metricsUrl: string;
/** Its metrics as soon as it was ready. */
let metricsWhenReady: string;
/** One that has started, for the test that stops it. */
let another: Process | undefined;

/** The lines of its log so far. */
const lines = (): Record<string, unknown>[] =>
  gateway
    .written()
    .split('\n')
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
    .map((line) => JSON.parse(line));
/** What a launcher shows of its reloads. */
const notices = () => gateway.told.filter((message) => (message as { type: string }).type === 'notice');
const logged = (event: string) => lines().filter((line) => line.event === event);
/** Which workers have told this. */
const workers = (event: string) => [...new Set(logged(event).map((line) => line.worker))];
/** A worker's process. */
const pidOf = (worker: unknown) => Number(logged('service.ready').find((line) => line.worker === worker)?.pid);

/** The state of a process in Linux's words: T is stopped, Z has ended and its parent does not know. */
const stateOf = (pid: number) => /\) (\w)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1];
/** Whether nothing of an ended process is left, its file descriptors neither: its threads share them, and end one by one. */
const isFinished = (pid: number) => stateOf(pid) === 'Z' && readdirSync(`/proc/${pid}/task`).length === 1;
/** Whether bytes that the process at a local port has not read yet have arrived there. */
function hasUnreadBytes(port: number): boolean {
  const local = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const rows = readFileSync('/proc/net/tcp', 'utf8').split('\n').slice(1);
  const queues = rows.map((row) => row.trim().split(/\s+/)).filter(([, address]) => address?.endsWith(local));
  return queues.some(([, , , state, queue]) => state === ESTABLISHED && !queue?.endsWith(':00000000'));
}
const ESTABLISHED = '01';
const withProcFiles = existsSync('/proc/self/task') ? test : test.skip;

/** Sends a request over the connections of `agent`. @returns when it has been written; `status` resolves with the answer's. */
async function write(to: string, agent: Agent): Promise<{ status: Promise<number | undefined> }> {
  const request = get(to, { agent });
  const answered = once(request, 'response') as Promise<[IncomingMessage]>;
  const status = answered.then(async ([response]) => {
    await once(response.resume(), 'end');
    return response.statusCode;
  });
  await once(request, 'finish');
  return { status };
}

/** Asks the metadata API for a reload. */
async function reload(): Promise<number> {
  const { status } = await send(`${url}/v1/metadata`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-hasura-admin-secret': ADMIN_SECRET },
    body: JSON.stringify({ type: 'reload_metadata' }),
  });
  return status;
}

function open(
  port: number,
  count: number,
  more: Record<string, string> = {},
  served = directory,
  options: RunOptions = {},
): Process {
  return start(['serve', served, '--workers', String(count)], {
    ...options,
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
  const [port, metricsPort] = [await freePort(), await freePort()];
  url = `http://127.0.0.1:${port}`;
  metricsUrl = `http://127.0.0.1:${metricsPort}/metrics`;
  const more = { PORTICO_METRICS_PORT: String(metricsPort) };
  gateway = await keep(open(port, 2, more, directory, { script: COMMAND, isLaunched: true }));
  const isReady = () =>
    send(`${url}/readyz`).then(
      ({ status }) => status === 200,
      () => false,
    );
  await until('it is ready', isReady);
  metricsWhenReady = (await send(metricsUrl)).text;
  await until('it has told', () => logged('workers.ready').length === 1);
});

describe('a gateway of several workers', () => {
  test('is ready when all of its first workers take requests', () => {
    expect(metricsWhenReady).toContain('portico_workers{state="listening"} 2');
    expect(metricsWhenReady).toContain('\nportico_worker_restarts_total 0\n');
  });

  test('serves one port with all of them', async () => {
    for (let i = 0; i < 10; i++) expect((await send(`${url}/v1/version`)).status).toBe(200);
    await until('both have answered', () => workers('request.completed').length === 2);
  });

  test('serves the metrics of all of them at one place', async () => {
    await until('both are there', async () => {
      const { status, text } = await send(metricsUrl);
      expect(status).toBe(200);
      return [1, 2].every((worker) => text.includes(`portico_http_requests_total{worker="${worker}",status="200"}`));
    });
    const { text } = await send(metricsUrl);
    expect(text.match(/^# TYPE portico_reloads_total counter$/gm)).toHaveLength(1);
    expect(text.match(/^process_uptime_seconds\{worker="[12]"\} \d/gm)).toHaveLength(2);
  });

  test('reloads in all of them on SIGHUP', async () => {
    gateway.signal('SIGHUP');
    await until('both have reloaded', () => workers('metadata.reloaded').length === 2);
    await until('the launcher has the notice', () => notices().length === 1);
  });

  test('has reloaded in all of them when the metadata API answers', async () => {
    const before = logged('metadata.reloaded').length;
    expect(await reload()).toBe(200);
    await until('both have told', () => logged('metadata.reloaded').length === before + 2);
    await until('the launcher has one notice for both reloads', () => notices().length === 2);
    const reasons = logged('metadata.reloaded')
      .slice(before)
      .map((line) => line.reason);
    expect(reasons.sort()).toEqual(['another worker', 'the metadata API']);
  });

  test('starts a worker again that has died, and goes on serving', async () => {
    process.kill(pidOf(1), 'SIGKILL');
    await until('it is missed', () => logged('worker.died').length === 1);
    // What changes while the new one starts is not lost on it, and nobody waits for it.
    do expect(await reload()).toBe(200);
    while (logged('worker.replaced').length === 0);
    await until('the new one has reloaded', () => workers('metadata.reloaded').includes(3));
    await until('it is replaced', () => logged('worker.replaced').length === 1);
    expect(logged('worker.died')).toMatchObject([{ worker: 1, how: 'SIGKILL' }]);
    for (let i = 0; i < 10; i++) expect((await send(`${url}/healthz`)).status).toBe(200);
    await until('the new one has answered', () => workers('request.completed').includes(3));
    const told = notices().length;
    expect(await reload()).toBe(200);
    await until('the launcher has the notice of a reload', () => notices().length === told + 1);
  });

  withProcFiles('goes on serving when it writes to a worker that has died, before it learns of the death', async () => {
    const main = gateway.pid;
    // A connection that is open already.
    const agent = new Agent({ keepAlive: true });
    expect(await (await write(metricsUrl, agent)).status).toBe(200);
    // What happens while the main process is frozen, it handles in this order: the request, which makes it write to its
    // workers, then the closed channel of the dead one, then the signal that a child has ended.
    process.kill(main, 'SIGSTOP');
    await until('it is frozen', () => stateOf(main) === 'T');
    const { status } = await write(metricsUrl, agent);
    await until('the request has arrived', () => hasUnreadBytes(Number(new URL(metricsUrl).port)));
    const worker = pidOf(3);
    process.kill(worker, 'SIGKILL');
    await until('the worker has died', () => isFinished(worker));
    process.kill(main, 'SIGCONT');
    expect(await status).toBe(200);
    agent.destroy();
    await until('it is replaced', () => logged('worker.replaced').length === 2);
  });

  test('stops all of them on SIGTERM', async () => {
    const pids = logged('service.ready').map(({ pid }) => Number(pid));
    gateway.signal('SIGTERM');
    expect((await gateway.ended).code).toBe(0);
    for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });
});

test('a port in use is reported once, not by every worker', async () => {
  const other = await keep(serve(() => {}));
  const { code, stderr } = await open(other.port, 2).ended;
  expect(code).toBe(1);
  expect(stderr.match(/is already in use/g)).toHaveLength(1);
});

test('a reload that is asked for before all workers have started does not end them', async () => {
  const starting = await keep(open(0, 2));
  await until('the first one listens', () => starting.written().includes('service.ready'));
  starting.signal('SIGHUP');
  await until('all workers listen', () => starting.written().includes('workers.ready'));
  await until('the first one has reloaded', () => starting.written().includes('metadata.reloaded'));
  const port = /"event":"workers\.ready".*"port":(\d+)/.exec(starting.written())?.[1];
  expect((await send(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
  another = starting;
});

test('a worker that does not end when it is stopped is killed', async () => {
  const stuck = another ?? (await keep(open(0, 2)));
  another = undefined;
  await until('all workers listen', () => stuck.written().includes('workers.ready'));
  const [first] = stuck
    .written()
    .split('\n')
    .filter((line) => line.includes('service.ready'))
    .map((line) => JSON.parse(line));
  process.kill(first.pid, 'SIGSTOP');
  stuck.signal('SIGTERM');
  expect((await stuck.ended).code).toBe(0);
  expect(stuck.written()).toContain('worker.killed');
  expect(() => process.kill(first.pid, 0)).toThrow('ESRCH');
});

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
  expect(starting.written()).not.toContain('service.ready');
  starting.signal('SIGTERM');
  expect((await starting.ended).code).toBe(0);
});

withRedis('a reload of another gateway reaches workers that are waiting for a source', async () => {
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
  expect(starting.written()).not.toContain('service.ready');
  release();
  const reloaded = () => starting.written().split('metadata.reloaded').length - 1;
  await until('both have reloaded', () => reloaded() === 2);
});
