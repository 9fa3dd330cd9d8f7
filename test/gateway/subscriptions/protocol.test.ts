import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { WebSocket } from 'ws';
import { bearer, keeper, until } from '../harness/index.ts';
import { rawSocket } from './clients.ts';
import { COUNT, NEW, OLD, ORDERS, openStrictWorld } from './strict-world.ts';

const { keep, close } = keeper();
afterAll(close);
const { keep: keepForTest, close: closeAfterTest } = keeper();
afterEach(closeAfterTest);

const world = await keep(openStrictWorld());
const { issuer, service, feed, gateway, strict } = world;

const open = (protocol: string | string[], url = gateway.url) => keepForTest(rawSocket(url, protocol));
const initialised = (protocol: string, url = gateway.url) => keepForTest(world.initialised(protocol, url));

describe('graphql-transport-ws', () => {
  test('is chosen where a client speaks both', async () => {
    expect((await open([OLD, NEW])).socket.protocol).toBe(NEW);
    expect((await open([OLD, 'something-else'])).socket.protocol).toBe(OLD);
  });

  test.each([[[]], [['something-else']]])('a client that speaks neither (%j) is rejected', async (protocols) => {
    const socket = new WebSocket(`${gateway.url.replace('http', 'ws')}/v1/graphql`, protocols);
    const code = await new Promise((resolve) => {
      socket.on('close', resolve);
      socket.on('error', () => resolve('no common protocol'));
    });
    expect(code).toBe(protocols.length === 0 ? 4406 : 'no common protocol');
  });

  test.each([
    ['no JSON', '{', 4400],
    ['no message', { type: 'hello' }, 4400],
    ['a subscription without an id', { type: 'subscribe', payload: { query: COUNT } }, 4400],
    ['a subscription before connection_init', { id: '1', type: 'subscribe', payload: { query: COUNT } }, 4401],
  ])('%s ends the connection', async (_, message, code) => {
    const raw = await open(NEW);
    raw.send(message);
    expect((await raw.ended()).code).toBe(code);
  });

  test('a second connection_init ends the connection', async () => {
    const raw = await initialised(NEW);
    raw.send({ type: 'connection_init' });
    expect((await raw.ended()).code).toBe(4429);
  });

  test('a second operation with the id of one that runs ends the connection, and both', async () => {
    const raw = await initialised(NEW);
    raw.send({ id: 'a', type: 'subscribe', payload: { query: ORDERS } });
    await feed.waitFor(1);
    raw.send({ id: 'a', type: 'subscribe', payload: { query: ORDERS } });
    expect(await raw.ended()).toEqual({ code: 4409, reason: 'Subscriber for a already exists' });
    await feed.waitFor(0);
  });

  test('an id can be used again once its operation is over', async () => {
    const raw = await initialised(NEW);
    raw.send({ id: 'a', type: 'subscribe', payload: { query: COUNT } });
    await raw.next('complete');
    raw.send({ id: 'a', type: 'subscribe', payload: { query: ORDERS } });
    await feed.waitFor(1);
    raw.send({ id: 'a', type: 'complete' });
    await feed.waitFor(0);
    raw.send({ id: 'a', type: 'subscribe', payload: { query: COUNT } });
    await raw.next('complete');
    expect(raw.messages.filter(({ type }) => type === 'next')).toHaveLength(4);
  });

  test('a ping is answered, with what it held', async () => {
    const raw = await open(NEW);
    raw.send({ type: 'ping', payload: { at: 1 } });
    expect(await raw.next('pong')).toEqual({ type: 'pong', payload: { at: 1 } });
  });

  test('an operation that is not valid is refused, and the connection goes on', async () => {
    const raw = await initialised(NEW);
    raw.send({ id: 'a', type: 'subscribe', payload: { query: 'subscription { nothing }' } });
    expect(await raw.next('error')).toMatchObject({
      id: 'a',
      payload: [{ message: expect.stringContaining('"nothing"'), extensions: { code: 'validation-failed' } }],
    });
    raw.send({ id: 'b', type: 'subscribe', payload: { query: '{ orderCount }' } });
    expect(await raw.next('next')).toEqual({ id: 'b', type: 'next', payload: { data: { orderCount: 2 } } });
  });

  test('a client that leaves takes its subscriptions along', async () => {
    const raw = await initialised(NEW);
    for (const id of ['a', 'b', 'c']) raw.send({ id, type: 'subscribe', payload: { query: ORDERS } });
    await feed.waitFor(3);
    raw.close();
    await feed.waitFor(0);
    await until('no connection to the service is left', () => service.connections() === 0);
  });

  test('a client that stops before its subscription has begun has none', async () => {
    const raw = await initialised(NEW);
    raw.send({ id: 'a', type: 'subscribe', payload: { query: ORDERS } });
    raw.send({ id: 'a', type: 'complete' });
    raw.send({ id: 'b', type: 'subscribe', payload: { query: COUNT } });
    expect(await raw.next('complete')).toEqual({ id: 'b', type: 'complete' });
    await feed.waitFor(0);
    expect(raw.messages.filter(({ id }) => id === 'a')).toEqual([]);
  });

  test('a client has to introduce itself in time', async () => {
    expect((await (await open(NEW, strict.url)).ended()).code).toBe(4408);
    expect((await (await open(OLD, strict.url)).ended()).code).toBe(1011);
  });
});

describe('the graphql-ws of old', () => {
  test('may subscribe right behind connection_init', async () => {
    const raw = await open(OLD);
    raw.send({ type: 'connection_init', payload: { headers: bearer(issuer.token()) } });
    raw.send({ id: 1, type: 'start', payload: { query: COUNT } });
    await raw.next('complete');
    expect(raw.messages).toEqual([
      { type: 'connection_ack' },
      { type: 'ka' },
      { id: '1', type: 'data', payload: { data: { count: { number: 1 } } } },
      { id: '1', type: 'data', payload: { data: { count: { number: 2 } } } },
      { id: '1', type: 'complete' },
    ]);
  });

  test('may not subscribe before connection_init', async () => {
    const raw = await open(OLD);
    raw.send({ id: '1', type: 'start', payload: { query: COUNT } });
    expect((await raw.ended()).code).toBe(4401);
  });

  test('is kept alive by messages', async () => {
    const raw = await initialised(OLD, strict.url);
    await until('three signs of life', () => raw.messages.filter(({ type }) => type === 'ka').length >= 3);
  });

  test('goes on after something that is no message', async () => {
    const raw = await initialised(OLD);
    raw.send('{');
    await raw.next('connection_error');
    raw.send({ id: '1', type: 'start', payload: { query: '{ orderCount }' } });
    expect(await raw.next('data')).toEqual({ id: '1', type: 'data', payload: { data: { orderCount: 2 } } });
  });

  test('is rejected when an id is in use', async () => {
    const raw = await initialised(OLD);
    raw.send({ id: '1', type: 'start', payload: { query: ORDERS } });
    await feed.waitFor(1);
    raw.send({ id: '1', type: 'start', payload: { query: ORDERS } });
    expect(await raw.next('error')).toMatchObject({ id: '1', payload: { errors: [{ message: expect.any(String) }] } });
    expect(feed.open).toBe(1);
  });

  test('ends with connection_terminate', async () => {
    const raw = await initialised(OLD);
    raw.send({ id: '1', type: 'start', payload: { query: ORDERS } });
    await feed.waitFor(1);
    raw.send({ type: 'connection_terminate' });
    expect((await raw.ended()).code).toBe(1000);
    await feed.waitFor(0);
  });
});
