import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { createClient } from 'graphql-sse';
import { bearer, type TestGateway, until } from '../harness/index.ts';
import { wsClient } from '../subscriptions/clients.ts';
import { FIRST } from './begun-answer.ts';
import { ask, DEFERRED, openWorld, type World, writeMany } from './world.ts';

let world: World;
let gateway: TestGateway;

beforeAll(async () => {
  world = await openWorld();
  gateway = await world.gateway();
});
afterAll(() => world.close());
afterEach(() => world.forget());

const NEXT = { incremental: [{ data: { reviews: ['good'] }, path: ['product'] }], hasNext: true };
const LAST = { hasNext: false };
const CUT = {
  errors: [{ message: 'the service "shop" did not complete its response', extensions: { service: 'shop' } }],
  hasNext: false,
};

const client = () =>
  createClient({ url: `${gateway.url}/v1/graphql`, headers: bearer(world.issuer.token()), retryAttempts: 0 });

/** What the client of the package `graphql-sse` gets. */
function events(query = DEFERRED) {
  const got: unknown[] = [];
  const state = { isOver: false };
  const stop = client().subscribe(
    { query },
    {
      next: (value) => void got.push(JSON.parse(JSON.stringify(value))),
      error: (error) => void got.push(error),
      complete: () => {
        state.isOver = true;
      },
    },
  );
  return { got, stop, over: () => until('it is complete', () => state.isOver) };
}

describe('parts as events', () => {
  test('come when the service delivers them', async () => {
    world.shop.answerInParts();
    const { got, over } = events();
    const written = await world.shop.written();
    expect(written.received.headers.accept).toBe('multipart/mixed; deferSpec=20220824, application/json');
    written.part(FIRST);
    await until('the first is there', () => got.length === 1);
    written.part(NEXT, JSON.stringify(LAST, undefined, '\r\n '));
    written.end();
    await over();
    expect(got).toEqual([FIRST, NEXT, LAST]);
  });

  test('are asked for in the form that the client names', async () => {
    const accept = 'text/event-stream, multipart/mixed;incrementalSpec=v0.2';
    world.shop.answerInParts();
    const asked = ask(gateway, world.issuer, DEFERRED, { accept });
    const written = await world.shop.written();
    expect(written.received.headers.accept).toBe(
      'multipart/mixed;incrementalSpec=v0.2, multipart/mixed; deferSpec=20220824, application/json',
    );
    written.part(LAST);
    written.end();
    await (await asked).response.destroy();
  });

  test('come at once where the service answers in one piece', async () => {
    const { got, over } = events();
    await over();
    expect(got).toEqual([{ data: { product: { id: '1', reviews: ['good'] } } }]);
  });

  test.each([
    ['is cut', (response: { destroy(): void }) => response.destroy()],
    ['sends what is no JSON', (_: unknown, part: (text: string) => void) => part('{"data": oh, "hasNext": true}')],
  ])('end with an error when the service %s', async (_, fail) => {
    world.shop.answerInParts();
    const { got, over } = events();
    const written = await world.shop.written();
    written.part(FIRST);
    await until('the first is there', () => got.length === 1);
    fail(written.response, written.part);
    await over();
    expect(got).toMatchObject([FIRST, CUT]);
  });

  test('are cancelled at the service when the client disconnects', async () => {
    world.shop.answerInParts();
    const { got, stop } = events();
    const written = await world.shop.written();
    written.part(FIRST);
    await until('the first is there', () => got.length === 1);
    stop();
    await until('it is cut', () => written.isCut);
  });

  test('do not come over a WebSocket, which answers in one piece', async () => {
    const over = await wsClient(gateway.url, { headers: bearer(world.issuer.token()) });
    const answer = over.subscribe(DEFERRED);
    expect(await answer.next()).toEqual({ data: { product: { id: '1', reviews: ['good'] } } });
    expect(world.shop.operations()[0]?.headers.accept).toBe('application/json');
    await over.close();
  });

  test('wait for a client that does not read', async () => {
    world.shop.answerInParts();
    const asked = ask(gateway, world.issuer, DEFERRED, { accept: 'text/event-stream', isPaused: true });
    const written = await world.shop.written();
    written.part(FIRST);
    const answer = await asked;
    const MANY = 400;
    const sending = writeMany(written, MANY);
    await sending.standsStill();
    expect(sending.sent()).toBeLessThan(MANY / 2);
    let text = '';
    answer.response.setEncoding('utf8').on('data', (piece: string) => {
      text = (text + piece).slice(-200);
    });
    await answer.end();
    expect(sending.sent()).toBe(MANY);
    expect(text).toContain('{"hasNext":false}\n\nevent: complete');
  });
});
