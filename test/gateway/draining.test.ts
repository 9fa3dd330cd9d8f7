import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { WebSocket } from 'ws';
import { type Process, start } from './cli/portico.ts';
import { keeper, openIssuer, send, serve, until } from './harness/index.ts';
import { metadataDirectory } from './harness/metadata-directory.ts';

const { keep, close } = keeper();
afterAll(close);

const portOf = (gateway: Process): number | undefined => {
  const line = gateway.written().match(/"event":"(?:service|workers)\.ready".*"port":(\d+)/);
  return line?.[1] === undefined ? undefined : Number(line[1]);
};

async function open(environment: Record<string, string>, workers = 1): Promise<{ gateway: Process; url: string }> {
  const directory = await keep(metadataDirectory({ 'version.yaml': { version: 3 } }));
  const gateway = await keep(
    start(['serve', directory.path, '--workers', String(workers)], {
      environment: { HASURA_GRAPHQL_SERVER_PORT: '0', PORTICO_METADATA_WATCH: 'false', ...environment },
    }),
  );
  const port = await until('it listens', () => portOf(gateway));
  return { gateway, url: `http://127.0.0.1:${port}` };
}

const readiness = async (url: string) => {
  const { status, body } = await send(`${url}/readyz`);
  return { status, body: body as Record<string, unknown> };
};

/** @returns the `Connection` of an answer that came over a connection which is kept open. */
function connectionOf(url: string, agent: Agent): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    get(`${url}/healthz`, { agent }, (response) => {
      response.resume().once('end', () => resolve(response.headers.connection));
    }).once('error', reject);
  });
}

describe('a gateway that is asked to stop, with time to drain', () => {
  let gateway: Process;
  let url: string;

  beforeAll(async () => {
    ({ gateway, url } = await open({
      HASURA_GRAPHQL_ADMIN_SECRET: 'secret',
      PORTICO_DRAIN_SECONDS: '3',
      HASURA_GRAPHQL_WEBSOCKET_CONNECTION_INIT_TIMEOUT: '60',
    }));
  });

  test('is not ready at once, answers what still comes, ends each connection, and WebSockets with a code to come back for', async () => {
    const agent = new Agent({ keepAlive: true });
    expect(await connectionOf(url, agent)).toBe('keep-alive');
    const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/graphql`, 'graphql-transport-ws');
    await once(socket, 'open');
    const closed = once(socket, 'close');

    gateway.signal('SIGTERM');
    await until('it is not ready', async () => (await readiness(url)).status === 503);
    expect((await readiness(url)).body).toMatchObject({ ready: false, stopping: true });
    expect(await connectionOf(url, agent)).toBe('close');
    expect((await closed)[0]).toBe(1001);
    expect((await gateway.ended).code).toBe(0);
    agent.destroy();
  });
});

describe('workers of a gateway', () => {
  test('take no request before they can answer it', async () => {
    const issuer = await keep(openIssuer());
    let knowsRevocations = false;
    let asked = 0;
    const feed = await keep(
      serve((_, response) => {
        asked += 1;
        response.writeHead(knowsRevocations ? 200 : 500, { 'content-type': 'application/json' });
        response.end('{"cursor":"0","revocations":[]}');
      }),
    );
    const starting = open(
      {
        HASURA_GRAPHQL_JWT_SECRET: JSON.stringify({ jwk_url: issuer.jwksUrl }),
        PORTICO_REVOCATION_URL: `${feed.url}/revocations`,
        PORTICO_REVOCATION_INTERVAL_SECONDS: '1',
        PORTICO_READY_GRACE_SECONDS: '600',
      },
      2,
    );
    let listens = false;
    void starting.then(() => {
      listens = true;
    });
    await until('a worker has asked twice', () => asked >= 2);
    expect(listens).toBe(false);
    knowsRevocations = true;
    const { url } = await starting;
    // Each worker hears of the others' readiness a moment after it is ready itself.
    await until('all report readiness', async () => {
      const answers = await Promise.all(Array.from({ length: 20 }, () => readiness(url)));
      return answers.every(({ status }) => status === 200);
    });
  });

  test('that listen drain, also when others are still starting', async () => {
    const issuer = await keep(openIssuer());
    let favoured: unknown;
    const feed = await keep(
      serve((_, response, request) => {
        // Only the worker that asks first is ever ready.
        favoured ??= request.socket;
        response.writeHead(favoured === request.socket ? 200 : 500, { 'content-type': 'application/json' });
        response.end('{"cursor":"0","revocations":[]}');
      }),
    );
    const { gateway, url } = await open(
      {
        HASURA_GRAPHQL_JWT_SECRET: JSON.stringify({ jwk_url: issuer.jwksUrl }),
        PORTICO_REVOCATION_URL: `${feed.url}/revocations`,
        PORTICO_REVOCATION_INTERVAL_SECONDS: '1',
        PORTICO_READY_GRACE_SECONDS: '600',
        PORTICO_DRAIN_SECONDS: '3',
      },
      2,
    );
    gateway.signal('SIGTERM');
    await until('it is not ready', async () => (await readiness(url)).status === 503);
    expect((await readiness(url)).body).toMatchObject({ ready: false, stopping: true });
    expect(await gateway.ended).toMatchObject({ code: 0, stderr: '' });
  });

  test('stop at once when they are asked to while they wait for their sources', async () => {
    let asked = 0;
    const feed = await keep(
      serve((_, response) => {
        asked += 1;
        response.writeHead(500).end();
      }),
    );
    const directory = await keep(metadataDirectory({ 'version.yaml': { version: 3 } }));
    const gateway = await keep(
      start(['serve', directory.path, '--workers', '2'], {
        environment: {
          HASURA_GRAPHQL_SERVER_PORT: '0',
          HASURA_GRAPHQL_ADMIN_SECRET: 'secret',
          HASURA_GRAPHQL_JWT_SECRET: JSON.stringify({ jwk_url: `${feed.url}/keys` }),
          PORTICO_REVOCATION_URL: `${feed.url}/revocations`,
          PORTICO_READY_GRACE_SECONDS: '600',
        },
      }),
    );
    await until('both have asked', () => asked >= 4);
    gateway.signal('SIGTERM');
    expect(await gateway.ended).toMatchObject({ code: 0, stderr: '' });
  });
});
