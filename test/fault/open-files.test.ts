import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from '@jest/globals';
import { acceptableConnections } from '../../platform/http/open-files.ts';
import { bearer, type Handler, keeper, openIssuer, send, serve, until } from '../gateway/harness/index.ts';
import { metadataDirectory } from '../gateway/harness/metadata-directory.ts';

const { keep, close } = keeper();
afterAll(close);

/** Node itself opens about two hundred files at a time while it starts. */
const OPEN_FILES = 256;
/** Of clients, in a process of so many. */
const MOST_CONNECTIONS = 96;
const MAIN = fileURLToPath(new URL('../../dist/gateway/main.js', import.meta.url));

/** Starts a process and waits until its output says on which port it listens. */
async function listeningProcess(command: string, args: readonly string[], env: Record<string, string>, says: RegExp) {
  const child = spawn(command, args, { env: { PATH: process.env.PATH, ...env }, stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  const ended = once(child, 'exit');
  await keep({
    close: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  });
  const port = new Promise<number>((resolve, reject) => {
    child.once('exit', (code, signal) => reject(new Error(`it ended with ${code ?? signal}: ${output}`)));
    child.stdout.on('data', (chunk) => {
      output += chunk;
      const said = says.exec(output)?.[1];
      if (said !== undefined) resolve(Number(said));
    });
  });
  return { port: await port, output: () => output };
}

async function gatewayWithFewDescriptors(metadata: Record<string, unknown>, environment: Record<string, string>) {
  const directory = await keep(metadataDirectory({ 'version.yaml': { version: 3 }, ...metadata }));
  const { port, output } = await listeningProcess(
    'sh',
    ['-c', `ulimit -n ${OPEN_FILES} && exec "$0" "$1"`, process.execPath, MAIN],
    {
      HASURA_GRAPHQL_SERVER_PORT: '0',
      HASURA_GRAPHQL_METADATA_DIR: directory.path,
      PORTICO_METADATA_WATCH: 'false',
      ...environment,
    },
    /"event":"service\.ready","port":(\d+)/,
  );
  const url = `http://127.0.0.1:${port}`;
  await until('it is ready', async () => {
    const answer = await send(`${url}/readyz`).catch(() => undefined);
    return answer?.status === 200;
  });
  return { url, port, log: output };
}

/** Connections to a port, as many as are accepted of those that are tried. */
async function openConnections(port: number, count: number): Promise<Socket[]> {
  const sockets = Array.from({ length: count }, () => connect(port, '127.0.0.1'));
  await Promise.all(
    sockets.map(async (socket) => {
      socket.on('error', () => {});
      await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
    }),
  );
  return sockets;
}

(process.platform === 'linux' ? describe : describe.skip)('a gateway whose open files are limited', () => {
  test('keeps descriptors for its services while clients take all connections that they can get', async () => {
    const issuer = await keep(openIssuer());
    const service = await keep(serve((_, response) => response.end('"done"')));
    const { url, port, log } = await gatewayWithFewDescriptors(
      {
        'actions.yaml': {
          actions: [{ name: 'act', definition: { handler: service.url }, permissions: [{ role: 'user' }] }],
        },
        'actions.graphql': 'type Query { act: String }',
      },
      { HASURA_GRAPHQL_JWT_SECRET: JSON.stringify({ jwk_url: issuer.jwksUrl }) },
    );
    const idle = await openConnections(port, 2 * OPEN_FILES);
    // Clients that do not read why they are refused do not see the end.
    for (const socket of idle) socket.resume();
    await until(
      'those beyond the limit are closed',
      () => idle.filter(({ destroyed }) => !destroyed).length < MOST_CONNECTIONS,
    );
    for (const socket of idle.filter(({ destroyed }) => !destroyed).slice(0, 2)) socket.destroy();

    const ask = () =>
      send(`${url}/v1/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...bearer(issuer.token()) },
        body: JSON.stringify({ query: '{ act }' }),
      });
    await until('a place is free', async () => (await ask().catch(() => undefined))?.status === 200);
    expect((await ask()).body).toEqual({ data: { act: 'done' } });
    expect(log()).not.toContain('EMFILE');
    for (const socket of idle) socket.destroy();
  });

  test('does not blame a service for descriptors that it has not got', async () => {
    const issuer = await keep(openIssuer());
    const waiting: (() => void)[] = [];
    const slow: Handler = (_, response) => void waiting.push(() => response.end('"done"'));
    const service = await keep(serve(slow));
    const breaker = { failure_percent: 50, minimum_requests: 5, window_seconds: 60, open_seconds: 60 };
    const { url, log } = await gatewayWithFewDescriptors(
      {
        'actions.yaml': {
          actions: [
            {
              name: 'act',
              definition: {
                handler: service.url,
                resilience: { circuit_breaker: breaker, concurrency: { max_in_flight: 1000 } },
              },
              permissions: [{ role: 'user' }],
            },
          ],
        },
        'actions.graphql': 'type Query { act: String }',
      },
      { HASURA_GRAPHQL_JWT_SECRET: JSON.stringify({ jwk_url: issuer.jwksUrl }) },
    );
    // Each takes a descriptor for its client and three for its service.
    const answers = Array.from({ length: 80 }, () =>
      send(`${url}/v1/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...bearer(issuer.token()) },
        body: JSON.stringify({ query: '{ a: act b: act c: act }' }),
        // Where no descriptor is left to accept a client with, its connection is reset.
      }).catch(() => ({ body: {} })),
    );
    await until('descriptors are used up', () => log().includes('upstream.exhausted'));
    const freeing = setInterval(() => {
      for (const answer of waiting.splice(0)) answer();
    }, 10);
    const codes = (await Promise.all(answers)).map(
      ({ body }) => (body as { errors?: { extensions: { code: string } }[] }).errors?.[0]?.extensions.code,
    );
    expect(new Set(codes)).toEqual(new Set([undefined, 'upstream-overloaded']));

    const { body } = await send(`${url}/readyz`);
    expect(body).toMatchObject({ ready: true, circuits: [] });
    clearInterval(freeing);
  });
});

(process.platform === 'linux' ? describe : describe.skip)('processes that share a port', () => {
  test('close the connections that none of them can take', async () => {
    const script = fileURLToPath(new URL('port-of-workers.mjs', import.meta.url));
    const environment = { OPEN_FILES: String(OPEN_FILES) };
    const { port } = await listeningProcess(process.execPath, [script], environment, /^listening on (\d+)\n/);
    const clients = await openConnections(port, 3 * OPEN_FILES);
    const last = await openConnections(port, 20);
    for (const socket of last) socket.write('GET / HTTP/1.1\r\nhost: gateway\r\n\r\n');
    for (const socket of last) socket.resume();
    await until('the last ones are refused', () => last.every(({ destroyed }) => destroyed));

    for (const socket of clients) socket.destroy();
    const answer = () => send(`http://127.0.0.1:${port}/`).catch(() => undefined);
    await until('there is room again', async () => (await answer())?.body === 'answered');
  });
});

describe('how many connections are accepted', () => {
  test('follows the limit of open files, and leaves enough for everything else', () => {
    const limits = (soft: number) =>
      `Limit                     Soft Limit           Hard Limit           Units\nMax open files            ${soft}                 4096                 files\n`;
    expect(acceptableConnections(limits(1024))).toBe(480);
    expect(acceptableConnections(limits(256))).toBe(96);
    expect(acceptableConnections(limits(32))).toBe(1);
    expect(acceptableConnections('')).toBeUndefined();
  });
});
