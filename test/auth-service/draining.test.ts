import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { availableEngines, createTestDatabase, type TestDatabase } from '../database/index.ts';
import { freePort } from '../gateway/harness/index.ts';
import { runProgram } from './process.ts';
import { environment, LOGIN, startTestService } from './service.ts';
import { until } from './until.ts';

const [engine = 'pglite'] = (await availableEngines()).toReversed();

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase({ engine });
});
afterAll(() => database.drop());

/** @returns the status and the `Connection` of an answer that came over a connection which may be kept open. */
function ask(url: string, agent: Agent): Promise<{ status: number | undefined; connection: string | undefined }> {
  return new Promise((resolve, reject) => {
    get(url, { agent }, (response) => {
      response
        .resume()
        .once('end', () => resolve({ status: response.statusCode, connection: response.headers.connection }));
    }).once('error', reject);
  });
}

describe('an auth service that starts', () => {
  test('accepts no connection before it can answer, where that does not take long', async () => {
    const port = await freePort();
    const statuses: number[] = [];
    const asked = until('it answers', async () => {
      const answer = await fetch(`http://127.0.0.1:${port}/.well-known/jwks.json`).catch(() => undefined);
      if (answer) statuses.push(answer.status);
      return answer?.status === 200;
    });
    const service = await startTestService(database.url, { AUTH_PORT: String(port) }, { listenAfterMs: 60_000 });
    await asked;
    expect(statuses).toEqual([200]);
    await service.stop();
  });
});

describe('an auth service that is asked to stop', () => {
  test('is not ready at once, and answers for the time that balancers need, each time with the end of the connection', async () => {
    const service = runProgram('main.js', environment(database.url, { AUTH_DRAIN_SECONDS: '60' }));
    const url = `http://127.0.0.1:${await service.ready}`;
    const agent = new Agent({ keepAlive: true });
    expect(await ask(`${url}/readyz`, agent)).toEqual({ status: 200, connection: 'keep-alive' });

    service.child.kill('SIGTERM');
    await until('it is not ready', async () => (await fetch(`${url}/readyz`)).status === 503);
    expect(await (await fetch(`${url}/readyz`)).json()).toEqual({
      ready: false,
      stopping: true,
      checks: { migrations: 'ok', signing_keys: 'ok', database: 'ok' },
    });
    expect(await ask(`${url}/healthz`, agent)).toEqual({ status: 200, connection: 'close' });
    const login = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: LOGIN, variables: { username: 'nobody', password: 'x', tenant_id: 1 } }),
    });
    expect(login.headers.get('connection')).toBe('close');
    expect(await login.json()).toMatchObject({ data: { auth_user_login: { success: false } } });
    agent.destroy();
    service.child.kill('SIGKILL');
    await service.ended;
  });

  test('ends by itself when that time is over', async () => {
    const service = runProgram('main.js', environment(database.url, { AUTH_DRAIN_SECONDS: '1' }));
    await service.ready;
    service.child.kill('SIGTERM');
    expect(await service.ended).toBe(0);
  });

  test('ends although a client never finishes its request', async () => {
    const service = runProgram('main.js', environment(database.url, { AUTH_SHUTDOWN_TIMEOUT_SECONDS: '1' }));
    const client = connect(await service.ready, '127.0.0.1');
    client.on('error', () => {});
    await once(client, 'connect');
    client.write('POST /graphql HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{');
    const cut = once(client, 'close');
    service.child.kill('SIGTERM');
    expect(await service.ended).toBe(0);
    await cut;
  });

  test('ends although its start still waits for the database', async () => {
    const port = await freePort();
    const service = runProgram(
      'main.js',
      environment('postgresql://me@127.0.0.1:1/shop', { AUTH_DATABASE_WAIT_SECONDS: '600', AUTH_PORT: String(port) }),
    );
    await until('it listens', () =>
      fetch(`http://127.0.0.1:${port}/healthz`).then(
        ({ ok }) => ok,
        () => false,
      ),
    );
    service.child.kill('SIGTERM');
    expect(await service.ended).toBe(0);
    expect(service.stderr()).toBe('');
  });
});
