import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { keeper, openGateway, openIssuer, reply, serve, type TestGateway, until } from '../harness/index.ts';
import { rawSocket, sseClient, wsClient } from './clients.ts';
import { type FeedService, graphqlWsService } from './services.ts';

const { keep, close } = keeper();
afterAll(close);
const { keep: keepForTest, close: closeAfterTest } = keeper();
afterEach(closeAfterTest);

const ORDERS = 'subscription { orderPlaced { id } }';
const SESSION = { 'X-Hasura-Role': 'user' };
const OVER = {
  message: 'the session from the authentication hook has expired',
  extensions: { code: 'access-denied', path: '$' },
};
/** As `Expires` has it, so many seconds from now. */
const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000).toUTCString();

let answer: (operation: unknown) => object = () => SESSION;
let headers: Record<string, string> = {};
const hook = await keep(
  serve(({ body }, response) =>
    reply(response, 200, answer((body as { request?: unknown } | undefined)?.request), headers),
  ),
);
let service: FeedService;
const gateways: Partial<Record<string, TestGateway>> = {};
const gatewayBy = (mode: 'GET' | 'POST') => gateways[mode] as TestGateway;
beforeAll(async () => {
  service = await keep(graphqlWsService());
  const metadata = { 'remote_schemas.yaml': [{ name: 'feed', definition: { url: service.url } }] };
  for (const mode of ['GET', 'POST'])
    gateways[mode] = await keep(
      openGateway({
        issuer: await keep(openIssuer()),
        metadata,
        environment: {
          HASURA_GRAPHQL_JWT_SECRET: undefined,
          HASURA_GRAPHQL_AUTH_HOOK: hook.url,
          HASURA_GRAPHQL_AUTH_HOOK_MODE: mode,
        },
      }),
    );
});
afterEach(() => {
  answer = () => SESSION;
  headers = {};
});

describe.each([
  ['Cache-Control', () => ({ 'Cache-Control': 'private, max-age=2' })],
  ['Expires', () => ({ Expires: inSeconds(2) })],
  ['both, of which the first counts', () => ({ 'cache-control': 'max-age=2', Expires: inSeconds(600) })],
  ['one that cannot be read, and one that can', () => ({ 'Cache-Control': 'public', Expires: inSeconds(2) })],
])('what a hook lets in ends when the hook says so: %s', (_, members) => {
  test('over a WebSocket', async () => {
    answer = () => ({ ...SESSION, ...members() });
    const client = await keepForTest(wsClient(gatewayBy('GET').url));
    const begun = Date.now();
    const placed = client.subscribe(ORDERS);
    await service.feed.waitFor(1);
    expect(await placed.ended()).toEqual([OVER]);
    // A date has no parts of seconds.
    expect(Date.now() - begun).toBeGreaterThan(900);
    await until('the connection has ended', () => client.closed);
    expect(client.closed).toMatchObject({ code: 4403, reason: `Forbidden: ${OVER.message}` });
    await service.feed.waitFor(0);
  });

  test('over an event stream', async () => {
    answer = () => ({ ...SESSION, ...members() });
    const placed = (await keepForTest(sseClient(gatewayBy('GET').url))).subscribe(ORDERS);
    await service.feed.waitFor(1);
    expect(await placed.ended()).toBe('complete');
    expect(placed.results.at(-1)?.errors).toEqual([OVER]);
    await service.feed.waitFor(0);
  });
});

test('a hook that is asked about each operation gives each its own end', async () => {
  answer = (operation) => (operation ? { ...SESSION, 'Cache-Control': 'max-age=1' } : SESSION);
  const raw = await keepForTest(rawSocket(gatewayBy('POST').url, 'graphql-transport-ws'));
  raw.send({ type: 'connection_init' });
  await raw.next('connection_ack');
  raw.send({ id: '1', type: 'subscribe', payload: { query: ORDERS } });
  expect(await raw.next('error')).toEqual({ id: '1', type: 'error', payload: [OVER] });
  answer = () => SESSION;
  raw.send({ id: '1', type: 'subscribe', payload: { query: '{ orderCount }' } });
  expect(await raw.next('next')).toMatchObject({ payload: { data: { orderCount: 2 } } });
});

test.each([
  [{ 'Cache-Control': 'no-store' }, 'Cache-Control'],
  [{ Expires: 'tomorrow' }, 'Expires'],
  [{ Expires: 12 }, 'Expires'],
])('an end that cannot be read (%j) is in the log, and none', async (members, member) => {
  answer = () => ({ ...SESSION, ...members });
  const gateway = gatewayBy('GET');
  const before = gateway.logs().length;
  expect(await gateway.graphql('{ orderCount }')).toMatchObject({ status: 200, body: { data: { orderCount: 2 } } });
  await until('the log tells', () => gateway.logs().slice(before).includes(`"member":"${member}"`));
});

test('the headers of the hook’s answer say nothing of the session', async () => {
  headers = { 'cache-control': 'max-age=0', expires: inSeconds(-60) };
  const client = await keepForTest(wsClient(gatewayBy('GET').url));
  const placed = client.subscribe(ORDERS);
  await service.feed.waitFor(1);
  service.feed.publish({ id: '7', item: 'bolt' });
  expect(await placed.next()).toEqual({ data: { orderPlaced: { id: '7' } } });
});
