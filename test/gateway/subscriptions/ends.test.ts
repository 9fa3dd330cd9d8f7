import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type EditedGateway, openEditedGateway } from '../harness/edited-gateway.ts';
import {
  bearer,
  freePort,
  keeper,
  makeKey,
  openGateway,
  openIssuer,
  reply,
  serve,
  type TestGateway,
  until,
} from '../harness/index.ts';
import { legacyClient, rawSocket, type SubscribingClient, sseClient, wsClient } from './clients.ts';
import { type FeedService, graphqlWsService, yogaService } from './services.ts';

const { keep, close } = keeper();
afterAll(close);
const { keep: keepForTest, close: closeAfterTest } = keeper();
afterEach(closeAfterTest);

const ORDERS = 'subscription { orderPlaced { id } }';
const issuer = await keep(openIssuer());
let service: FeedService;
beforeAll(async () => {
  service = await keep(graphqlWsService());
});

type Open = (url: string, token: string) => SubscribingClient | Promise<SubscribingClient>;
const CLIENTS: readonly [string, Open][] = [
  ['graphql-transport-ws', (url, token) => wsClient(url, { headers: bearer(token) })],
  ['the graphql-ws of old', (url, token) => legacyClient(url, { headers: bearer(token) })],
  ['server-sent events', (url, token) => sseClient(url, bearer(token))],
];

/** The errors that a client was told at the end: in an event stream they come as the last result. */
async function errorsAtEnd({ ended, results }: Awaited<ReturnType<SubscribingClient['subscribe']>>) {
  const end = await ended();
  return end === 'complete' ? results.at(-1)?.errors : end;
}

describe.each(CLIENTS)('a subscription over %s ends', (_, open) => {
  const client = async (gateway: TestGateway, token = issuer.token()) =>
    keepForTest(Promise.resolve(open(gateway.url, token)));
  const gatewayWith = (environment: Record<string, string> = {}, url = service.url, subscriptions?: object) =>
    keepForTest(
      openGateway({
        issuer,
        environment,
        metadata: {
          'remote_schemas.yaml': [{ name: 'feed', definition: { url, ...(subscriptions && { subscriptions }) } }],
        },
      }),
    );

  test('when the issuer withdraws the key of its token', async () => {
    const own = await keepForTest(openIssuer());
    own.published.cacheControl = 'max-age=5';
    const metadata = { 'remote_schemas.yaml': [{ name: 'feed', definition: { url: service.url } }] };
    const gateway = await keepForTest(openGateway({ issuer: own, metadata }));
    const placed = (await client(gateway, own.token())).subscribe(ORDERS);
    await service.feed.waitFor(1);
    own.published.keys = [makeKey('another').jwk];

    expect(await errorsAtEnd(placed)).toMatchObject([
      { message: 'Could not verify JWT: JWSError NoUsableKeys', extensions: { code: 'invalid-jwt' } },
    ]);
    await service.feed.waitFor(0);
  });

  test('when its token expires', async () => {
    const gateway = await gatewayWith();
    const seconds = Math.floor(Date.now() / 1000);
    const shop = await client(gateway, issuer.token({ payload: { exp: seconds + 2 } }));
    const placed = shop.subscribe(ORDERS);
    await service.feed.waitFor(1);
    expect(await errorsAtEnd(placed)).toMatchObject([
      { message: 'Could not verify JWT: JWTExpired', extensions: { code: 'invalid-jwt' } },
    ]);
    expect(Date.now() / 1000).toBeGreaterThanOrEqual(seconds + 2);
    await service.feed.waitFor(0);
  });

  test('when its session is revoked, and no other one’s', async () => {
    const published: object[] = [];
    const revocations = await keepForTest(
      serve((_received, response) => reply(response, 200, { cursor: '1', revocations: published })),
    );
    const gateway = await gatewayWith({
      PORTICO_REVOCATION_URL: `${revocations.url}/revocations`,
      PORTICO_REVOCATION_INTERVAL_SECONDS: '1',
    });
    const revoked = await client(gateway, issuer.token({ payload: { sid: 'one' } }));
    const other = await client(gateway, issuer.token({ payload: { sid: 'other' } }));
    const placed = revoked.subscribe(ORDERS);
    const others = other.subscribe(ORDERS);
    await service.feed.waitFor(2);
    published.push({ sid: 'one', until: Math.floor(Date.now() / 1000) + 900 });
    expect(await errorsAtEnd(placed)).toMatchObject([
      { message: 'Could not verify JWT: the token has been revoked', extensions: { code: 'invalid-jwt' } },
    ]);
    await service.feed.waitFor(1);
    service.feed.publish({ id: '1', item: 'bolt' });
    expect(await others.next()).toEqual({ data: { orderPlaced: { id: '1' } } });
  });

  test('when the list of revocations is too old', async () => {
    const revocations = await keepForTest(
      serve((_received, response) => reply(response, 200, { cursor: '1', revocations: [] })),
    );
    const gateway = await gatewayWith({
      PORTICO_REVOCATION_URL: `${revocations.url}/revocations`,
      PORTICO_REVOCATION_INTERVAL_SECONDS: '1',
      // Polls a second apart, on a busy machine later, must not make it too old before.
      PORTICO_REVOCATION_MAX_AGE_SECONDS: '4',
    });
    const placed = (await client(gateway)).subscribe(ORDERS);
    await service.feed.waitFor(1);
    await revocations.stop();
    expect(await errorsAtEnd(placed)).toMatchObject([{ extensions: { code: 'service-unavailable' } }]);
  });

  test('when the connection to the service is lost', async () => {
    const gateway = await gatewayWith();
    const shop = await client(gateway);
    const placed = shop.subscribe(ORDERS);
    await service.feed.waitFor(1);
    service.cut();
    expect(await errorsAtEnd(placed)).toMatchObject([
      {
        message: 'the connection to the service "feed" was lost',
        extensions: { code: 'remote-schema-error', service: 'feed' },
      },
    ]);
    // Only the subscription: whoever comes back over the same connection is served.
    const again = shop.subscribe('subscription { count(to: 1) { number } }');
    expect(await again.next()).toEqual({ data: { count: { number: 1 } } });
  });

  test('when the service sends events and its stream is cut', async () => {
    const yoga = await keepForTest(yogaService());
    const gateway = await gatewayWith({}, yoga.url, { protocol: 'sse' });
    const placed = (await client(gateway)).subscribe(ORDERS);
    await yoga.feed.waitFor(1);
    yoga.cut();
    expect(await errorsAtEnd(placed)).toMatchObject([{ extensions: { code: 'remote-schema-error', service: 'feed' } }]);
  });

  test.each([
    ['graphql-transport-ws', 'ws'],
    ['graphql-ws', 'ws'],
    ['sse', 'http'],
  ])('when the service cannot be reached by %s', async (protocol, scheme) => {
    const url = `${scheme}://127.0.0.1:${await freePort()}/graphql`;
    const gateway = await gatewayWith({}, service.url, { protocol, url });
    const errors = await errorsAtEnd((await client(gateway)).subscribe(ORDERS));
    expect(errors).toMatchObject([{ extensions: { code: 'remote-schema-error', service: 'feed' } }]);
    expect(JSON.stringify(errors)).not.toContain('127.0.0.1');
  });

  test('when the service does not answer in time', async () => {
    const silent = await keepForTest(serve(() => {}));
    const trickling = await keepForTest(
      serve((_received, response) => {
        response.writeHead(200, { 'content-type': 'text/html' });
        const trickle = setInterval(() => response.write('.'), 20);
        response.once('close', () => clearInterval(trickle));
      }),
    );
    silent.server.on('upgrade', (_request, socket) => socket.resume().on('end', () => socket.destroy()));
    for (const [protocol, { url }] of [
      ['graphql-transport-ws', silent],
      ['sse', silent],
      ['sse', trickling],
    ] as const) {
      const metadata = {
        'remote_schemas.yaml': [
          {
            name: 'feed',
            definition: { url: service.url, timeout_seconds: 0.3, subscriptions: { protocol, url } },
          },
        ],
      };
      const gateway = await keepForTest(openGateway({ issuer, metadata }));
      const errors = await errorsAtEnd((await client(gateway)).subscribe(ORDERS));
      expect(errors).toMatchObject([{ extensions: { code: 'remote-schema-error', service: 'feed' } }]);
    }
  });

  test('when the gateway stops, so that clients come back', async () => {
    const gateway = await openGateway({
      issuer,
      metadata: { 'remote_schemas.yaml': [{ name: 'feed', definition: { url: service.url } }] },
    });
    const shop = await client(gateway);
    const placed = shop.subscribe(ORDERS);
    await service.feed.waitFor(1);
    await gateway.close();
    if (shop.closed !== undefined || _ === 'graphql-transport-ws') {
      await until('the end of the connection', () => shop.closed);
      expect(shop.closed).toMatchObject({ code: 1001 });
    } else expect(await placed.ended()).toBeInstanceOf(Error);
    await service.feed.waitFor(0);
  });
});

describe('the connection', () => {
  test('ends with its token, with a code that makes clients ask for another one', async () => {
    const gateway = await keepForTest(
      openGateway({
        issuer,
        metadata: { 'remote_schemas.yaml': [{ name: 'feed', definition: { url: service.url } }] },
      }),
    );
    const token = issuer.token({ payload: { exp: Math.floor(Date.now() / 1000) + 2 } });
    const raws = await Promise.all(['graphql-transport-ws', 'graphql-ws'].map((name) => rawSocket(gateway.url, name)));
    for (const raw of raws) raw.send({ type: 'connection_init', payload: { headers: bearer(token) } });
    for (const raw of raws)
      expect(await raw.ended()).toEqual({ code: 4403, reason: 'Forbidden: Could not verify JWT: JWTExpired' });
  });

  test('of a mutation that is under way ends when the mutation has', async () => {
    let answer = () => {};
    const slow = await keepForTest(
      serve((received, response) => {
        const { query } = received.body as { query: string };
        const data = query.includes('rename(') ? { rename: 'renamed' } : undefined;
        if (data) answer = () => reply(response, 200, { data });
        else
          void fetch(service.url, asRequest(received.text)).then(async (introspected) =>
            reply(response, 200, await introspected.json()),
          );
      }),
    );
    const gateway = await openGateway({
      issuer,
      metadata: { 'remote_schemas.yaml': [{ name: 'feed', definition: { url: slow.url } }] },
      environment: { HASURA_GRAPHQL_GRACEFUL_SHUTDOWN_TIMEOUT: '10' },
    });
    const shop = wsClient(gateway.url, { headers: bearer(issuer.token()) });
    const renamed = shop.subscribe('mutation { rename(item: "x") }');
    await until('the mutation is under way', () => slow.requests.some(({ text }) => text.includes('rename(')));
    const stopped = gateway.close();
    answer();
    expect(await renamed.ended()).toBe('complete');
    expect(renamed.results).toEqual([{ data: { rename: 'renamed' } }]);
    await stopped;
    expect(shop.closed).toMatchObject({ code: 1001 });
  });
});

const asRequest = (body: string) => ({ method: 'POST', headers: { 'content-type': 'application/json' }, body });

describe('a reload of the metadata', () => {
  let second: FeedService;
  let gateway: EditedGateway;
  let shop: SubscribingClient;
  const remotes = (feed: object = {}, other: object = {}) => ({
    'remote_schemas.yaml': [
      { name: 'feed', definition: { url: service.url, ...feed } },
      {
        name: 'other',
        definition: {
          url: second.url,
          customization: {
            root_fields_namespace: 'other',
            type_names: { prefix: 'Other' },
            ...other,
          },
        },
      },
    ],
  });
  beforeAll(async () => {
    second = await keep(graphqlWsService());
  });
  beforeEach(async () => {
    gateway = await keepForTest(openEditedGateway(remotes(), { issuer }));
    shop = await keepForTest(wsClient(gateway.url, { headers: bearer(issuer.token()) }));
  });

  test('that does not touch a subscription leaves it alone', async () => {
    const placed = shop.subscribe(ORDERS);
    const others = shop.subscribe('subscription { other { orderPlaced { id } } }');
    await service.feed.waitFor(1);
    await second.feed.waitFor(1);
    expect((await gateway.edit(remotes({}, { type_names: { prefix: 'Second' } }))).status).toBe(200);
    expect(await others.ended()).toMatchObject([{ extensions: { code: 'schema-reload' } }]);
    expect((await gateway.edit(remotes(), { reload_remote_schemas: true })).status).toBe(200);

    service.feed.publish({ id: '1', item: 'bolt' });
    expect(await placed.next()).toEqual({ data: { orderPlaced: { id: '1' } } });
    expect(placed.end).toBeUndefined();
    expect(service.feed.open).toBe(1);
  });

  test.each([
    ['changes its service', () => remotes({ timeout_seconds: 5 })],
    ['takes its service away', () => ({ 'remote_schemas.yaml': [] })],
    [
      'takes its field from the role',
      () => ({
        'remote_schemas.yaml': [
          {
            name: 'feed',
            definition: { url: service.url },
            permissions: [{ role: 'user', definition: { schema: 'type Query { orderCount: Int! }' } }],
          },
        ],
      }),
    ],
  ])('that %s ends it, with a code that tells to subscribe again', async (_, edited) => {
    const placed = shop.subscribe(ORDERS);
    await service.feed.waitFor(1);
    expect((await gateway.edit(edited())).status).toBe(200);
    expect(await placed.ended()).toMatchObject([
      { message: expect.stringContaining('subscribe again'), extensions: { code: 'schema-reload' } },
    ]);
    await service.feed.waitFor(0);
  });

  test('that fails changes nothing', async () => {
    const placed = shop.subscribe(ORDERS);
    await service.feed.waitFor(1);
    expect((await gateway.edit({ 'remote_schemas.yaml': [{ name: 'feed' }] })).status).toBe(400);
    service.feed.publish({ id: '1', item: 'bolt' });
    expect(await placed.next()).toEqual({ data: { orderPlaced: { id: '1' } } });
  });
});
