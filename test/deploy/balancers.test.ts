import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { freePort, ProcessGroup } from '../../bench/machine/index.ts';
import { isInstalled, startBalancer } from '../../faults/cluster/balancer.ts';
import { spellingsOf } from '../../faults/faults/edges.ts';
import { isInstalled as isCommandInstalled } from '../installed.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const LIMIT = 5;
/** Another client than the one at 127.0.0.1. */
const GREEDY = '127.0.0.2';
const BALANCERS = ['haproxy', 'nginx'] as const;

/** Stands in for gateways and auth services: holds what is sent to /hold, breaks the connection of what is sent to /break. */
const arrived: string[] = [];
const held = new Set<ServerResponse>();
function answer(message: IncomingMessage, response: ServerResponse): void {
  const { method, url } = message;
  const { host, 'user-agent': agent } = message.headers;
  // Asked by HAProxy itself, or by follow-readyz.sh.
  const isCheck = url === '/readyz' && (host === 'gateway' || host === 'auth-service' || agent?.startsWith('curl'));
  if (isCheck) return void response.end('ready');
  arrived.push(`${method} ${url}`);
  if (url === '/hold') held.add(response.on('close', () => held.delete(response)));
  else if (url === '/break') message.socket.destroy();
  else response.end('of a server');
}

const group = new ProcessGroup();
const servers = [createServer(answer), createServer(answer)];
let addresses: [string, string];
beforeAll(async () => {
  const listening = servers.map(async (server) => {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return `127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  addresses = (await Promise.all(listening)) as [string, string];
});
afterAll(async () => {
  await group.close();
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

const missing = BALANCERS.filter((name) => !isInstalled(name));
for (const name of missing) process.stderr.write(`\nNOT TESTED: the example configuration of ${name}, not installed\n`);

// A table of those that are installed would be empty on most machines, and jest fails a suite with an empty table.
const describeInstalled = (name: (typeof BALANCERS)[number]) => (missing.includes(name) ? describe.skip : describe);

for (const name of BALANCERS)
  describeInstalled(name)(`the example configuration of ${name}`, () => {
    let url: string;
    /** @returns the status, undefined where the connection ended without an answer. */
    const send = (path: string, method = 'GET', localAddress = '127.0.0.1', signal?: AbortSignal) =>
      new Promise<number | undefined>((done) => {
        const sent = request(
          url,
          { path, method, localAddress, agent: false, ...(signal && { signal }) },
          (response) => {
            response.resume();
            done(response.statusCode);
          },
        );
        sent.once('error', () => done(undefined));
        sent.end();
      });

    beforeAll(async () => {
      const publicAddress = `127.0.0.1:${await freePort()}`;
      url = `http://${publicAddress}`;
      await startBalancer(name, group, {
        publicAddress,
        authAddress: `127.0.0.1:${await freePort()}`,
        tls: undefined,
        gateways: addresses,
        authServices: addresses,
        maxRequestsPerAddress: LIMIT,
      });
      while ((await send('/')) !== 200);
    });

    test.each(spellingsOf(['/readyz', '/healthz', '/hasura/healthz']))('keeps %s from the public', async (path) => {
      arrived.length = 0;
      expect([404, 400]).toContain(await send(path));
      expect(arrived).toEqual([]);
    });

    test('leaves similar paths to the gateways', async () => {
      for (const path of ['/readyzz', '/x/healthz', '/healthz/x']) expect(await send(path)).toBe(200);
    });

    test.each(['PUT', 'DELETE', 'POST', 'PATCH'])('sends a %s that may have arrived once', async (method) => {
      arrived.length = 0;
      expect(await send('/break', method)).toBe(502);
      expect(arrived).toEqual([`${method} /break`]);
      while ((await send('/')) !== 200);
    });

    test('passes on the other methods with their answers', async () => {
      for (const method of ['PUT', 'DELETE', 'OPTIONS', 'PATCH']) {
        arrived.length = 0;
        expect(await send('/x', method)).toBe(200);
        expect(arrived).toEqual([`${method} /x`]);
      }
    });

    test.each(['GET', 'PUT'])(
      'refuses an address too many %s requests at a time, and no other address',
      async (method) => {
        const gone = new AbortController();
        const answers = Array.from({ length: LIMIT }, () => send('/hold', method, GREEDY, gone.signal));
        while (held.size < LIMIT) await new Promise(setImmediate);
        expect(await send('/', method, GREEDY)).toBe(429);
        expect(await send('/', method)).toBe(200);
        gone.abort();
        await Promise.all(answers);
        while ((await send('/', method, GREEDY)) !== 200);
      },
    );
  });

(missing.includes('nginx') ? test.skip : test)(
  'nginx leaves no connection between gateways and auth services idle, which a reload would close',
  async () => {
    const [publicAddress, authAddress] = [`127.0.0.1:${await freePort()}`, `127.0.0.1:${await freePort()}`];
    const wiring = { publicAddress, authAddress, tls: undefined, gateways: addresses, authServices: addresses };
    const balancer = await startBalancer('nginx', group, wiring);
    const response = await fetch(`http://${authAddress}/`);
    expect([response.status, response.headers.get('connection')]).toEqual([200, 'close']);
    await balancer?.stop();
  },
);

const FOLLOW_READYZ = join(ROOT, 'deploy/nginx/follow-readyz.sh');
const testFollowing = isCommandInstalled('curl', 'follow-readyz.sh') ? test : test.skip;

testFollowing('follow-readyz.sh marks servers as down that are not ready, unless none is ready', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'portico-follow-'));
  const file = join(directory, 'upstreams.conf');
  const follower = execFile('sh', [FOLLOW_READYZ, file], {
    env: {
      PATH: process.env.PATH,
      RELOAD: 'true',
      PORTICO_GATEWAYS: `${addresses[0]} 127.0.0.1:1 ${addresses[1]}`,
      PORTICO_AUTH_SERVICES: '127.0.0.1:1 127.0.0.1:2',
    },
  });
  try {
    while (!existsSync(file)) await new Promise((done) => setTimeout(done, 20));
    expect(readFileSync(file, 'utf8').match(/server [^;]*/g)).toEqual([
      `server ${addresses[0]} max_fails=1 fail_timeout=2s`,
      'server 127.0.0.1:1 down',
      `server ${addresses[1]} max_fails=1 fail_timeout=2s`,
      'server 127.0.0.1:1 max_fails=1 fail_timeout=2s',
      'server 127.0.0.1:2 max_fails=1 fail_timeout=2s',
    ]);
  } finally {
    follower.kill('SIGKILL');
    await once(follower, 'close');
    rmSync(directory, { recursive: true });
  }
});

testFollowing('follow-readyz.sh reloads again until a reload has succeeded, and then no more', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'portico-follow-'));
  const calls = join(directory, 'calls');
  writeFileSync(calls, '');
  const follower = execFile('sh', [FOLLOW_READYZ, join(directory, 'upstreams.conf')], {
    env: {
      PATH: process.env.PATH,
      INTERVAL: '0.05',
      // Succeeds when it is called for the third time. Rounds that came after it are counted in the other file.
      RELOAD: `echo >>'${calls}'; test $(wc -l <'${calls}') -ge 3`,
      PORTICO_GATEWAYS: '127.0.0.1:1',
      PORTICO_AUTH_SERVICES: '127.0.0.1:1',
    },
  });
  const lines = () => readFileSync(calls, 'utf8').length;
  try {
    while (lines() < 3) await new Promise((done) => setTimeout(done, 20));
    await new Promise((done) => setTimeout(done, 500));
    expect(lines()).toBe(3);
  } finally {
    follower.kill('SIGKILL');
    await once(follower, 'close');
    rmSync(directory, { recursive: true });
  }
});

test('follow-readyz.sh ends at once where curl is not installed, and writes nothing', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'portico-follow-'));
  try {
    const { status, stderr } = spawnSync('/bin/sh', [FOLLOW_READYZ, join(directory, 'upstreams.conf')], {
      env: { PATH: directory, PORTICO_GATEWAYS: '127.0.0.1:1', PORTICO_AUTH_SERVICES: '127.0.0.1:1' },
      encoding: 'utf8',
      timeout: 20_000,
    });
    expect([status, stderr]).toEqual([1, 'follow-readyz.sh: curl is not installed\n']);
    expect(readdirSync(directory)).toEqual([]);
  } finally {
    rmSync(directory, { recursive: true });
  }
});
