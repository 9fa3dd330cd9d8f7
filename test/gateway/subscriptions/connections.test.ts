import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { WebSocket } from 'ws';
import { bearer, keeper, until } from '../harness/index.ts';
import { rawSocket } from './clients.ts';
import { NEW, ORDERS, openStrictWorld } from './strict-world.ts';

const { keep, close } = keeper();
afterAll(close);
const { keep: keepForTest, close: closeAfterTest } = keeper();
afterEach(closeAfterTest);

const world = await keep(openStrictWorld());
const { issuer, feed, gateway, strict } = world;

const open = (protocol: string | string[], url = gateway.url) => keepForTest(rawSocket(url, protocol));
const initialised = (protocol: string, url = gateway.url) => keepForTest(world.initialised(protocol, url));

describe('a connection', () => {
  test('runs no more operations at a time than it may', async () => {
    const raw = await initialised(NEW, strict.url);
    for (const id of ['a', 'b', 'c']) raw.send({ id, type: 'subscribe', payload: { query: ORDERS } });
    expect(await raw.next('error')).toMatchObject({
      id: 'c',
      payload: [{ extensions: { code: 'operation-limit-exceeded' } }],
    });
    await feed.waitFor(2);
    raw.send({ id: 'a', type: 'complete' });
    raw.send({ id: 'd', type: 'subscribe', payload: { query: ORDERS } });
    await until('the next one is open', () => feed.open === 2);
  });

  test('takes no message that is too large', async () => {
    const raw = await open(NEW, strict.url);
    raw.send({ type: 'ping', payload: { long: 'x'.repeat(3_000) } });
    expect((await raw.ended()).code).toBe(1009);
  });

  test('is refused with 503 when too many are open, until one of them has ended', async () => {
    const first = await initialised(NEW, strict.url);
    const headers = { ...bearer(issuer.token()), accept: 'text/event-stream', 'content-type': 'application/json' };
    const cut = new AbortController();
    const body = JSON.stringify({ query: ORDERS });
    await fetch(`${strict.url}/v1/graphql`, { method: 'POST', headers, body, signal: cut.signal });
    await expect(open(NEW, strict.url)).rejects.toThrow('503');
    expect((await strict.post('/v1/graphql', { query: ORDERS }, headers)).status).toBe(503);
    expect((await strict.graphql('{ orderCount }', { token: issuer.token() })).status).toBe(200);
    first.close();
    cut.abort();
    await until('there is room again', () =>
      open(NEW, strict.url).then(
        () => true,
        () => false,
      ),
    );
    await feed.waitFor(0);
  });

  test('elsewhere is no GraphQL connection', async () => {
    const socket = new WebSocket(`${gateway.url.replace('http', 'ws')}/v2/graphql`, NEW);
    const message = await new Promise((resolve) => socket.on('error', (error) => resolve(error.message)));
    expect(message).toBe('Unexpected server response: 404');
  });
});
