import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { freePort, keeper, openGateway, send, type TestGateway, until } from '../harness/index.ts';
import { ask, DEFERRED, openWorld, type PartsShop, partsShop, type World, writeMany } from './world.ts';

let world: World;
let gateway: TestGateway;
const { keep, close } = keeper();

beforeAll(async () => {
  world = await openWorld();
  gateway = await world.gateway();
});
afterAll(() => world.close());
afterEach(close);
beforeEach(() => {
  world.shop.forget();
  world.shop.instead = undefined;
});

/** A gateway of a test's own, with other settings of the service or the process. */
const gatewayWith = (definition: object, environment: Record<string, string> = {}, metadata: object = {}) =>
  keep(
    openGateway({
      issuer: world.issuer,
      metadata: {
        'remote_schemas.yaml': [{ name: 'shop', definition: { url: world.shop.graphqlUrl, ...definition } }],
        ...metadata,
      },
      environment,
    }),
  );

/** A gateway that tells its metrics, and the value of one. */
async function measured(definition: object = {}) {
  const port = await freePort();
  const own = await gatewayWith(definition, { PORTICO_METRICS_PORT: String(port) });
  const metric = async (name: string): Promise<number> => {
    const { text } = await send(`http://127.0.0.1:${port}/metrics`);
    const line = text.split('\n').find((one) => one.startsWith(name));
    return Number(line?.split(' ').at(-1) ?? Number.NaN);
  };
  return { own, metric };
}

const IN_FLIGHT = 'portico_upstream_in_flight{service="shop"';
const calls = (outcome: string) =>
  `portico_upstream_calls_total{service="shop",kind="remote-schema",outcome="${outcome}"}`;

const FIRST = { data: { product: { id: '1' } }, hasNext: true };
const PENDING = {
  ...FIRST,
  pending: [
    { id: '0', path: ['product'] },
    { id: '1', path: ['product'] },
  ],
};

async function begun(of: TestGateway, shop: PartsShop, first: object = FIRST) {
  shop.answerInParts();
  const asked = ask(of, world.issuer, DEFERRED);
  const written = await shop.written();
  written.part(first);
  const answer = await asked;
  await answer.untilParts(1);
  return { written, answer };
}

const errorOf = (message: string, reason: string) => ({
  message,
  extensions: { path: '$', code: 'remote-schema-error', service: 'shop', reason },
});
const CUT = errorOf('the service "shop" did not finish its answer', 'connection');

describe('a service that does not finish', () => {
  test('because it is cut ends with an error in the form of August 2022', async () => {
    const { written, answer } = await begun(gateway, world.shop);
    written.response.destroy();
    expect(await answer.end()).toEqual([FIRST, { errors: [CUT], hasNext: false }]);
    expect(answer.text().endsWith('\r\n-----\r\n')).toBe(true);
    await until('it is logged', () => gateway.logs().includes('a source broke its answer off'));
  });

  test('ends what is still promised in the form of today', async () => {
    const { written, answer } = await begun(gateway, world.shop, PENDING);
    const next = { pending: [{ id: '2', path: [] }], completed: [{ id: '0' }], hasNext: true };
    written.part(next);
    await answer.untilParts(2);
    written.response.destroy();
    const completed = [
      { id: '1', errors: [CUT] },
      { id: '2', errors: [CUT] },
    ];
    expect(await answer.end()).toEqual([PENDING, next, { completed, hasNext: false }]);
  });

  test('after a long answer ends what is still promised', async () => {
    const { written, answer } = await begun(gateway, world.shop, PENDING);
    const long = { incremental: [{ id: '0', data: { long: 'x'.repeat(700_000) } }], completed: [{ id: '0' }] };
    written.part({ ...long, pending: [{ id: '2', path: [] }], hasNext: true });
    written.part({ ...long, completed: [{ id: '2' }], hasNext: true });
    written.part({ ...long, completed: [], pending: [{ id: '3', path: [] }], hasNext: true });
    await answer.untilParts(4);
    written.response.destroy();
    const [last] = (await answer.end()).slice(-1);
    expect(last).toEqual({ completed: ['1', '3'].map((id) => ({ id, errors: [CUT] })), hasNext: false });
  });

  test.each([
    ['ends its body too early', (end: () => void) => end()],
    ['sends what is no JSON', (_: () => void, part: (text: string) => void) => part('{"errors": oh')],
    ['sends what is no multipart', (_: () => void, __: unknown, write: (text: string) => void) => write('oh\r\n\r\n')],
  ])('because it %s ends with an error', async (_, fail) => {
    const { written, answer } = await begun(gateway, world.shop);
    fail(written.end, written.part, (text) => written.response.write(text));
    expect(await answer.end()).toEqual([FIRST, { errors: [CUT], hasNext: false }]);
  });

  test.each([
    ['is cut before the first part', (response: { destroy(): void }) => response.destroy(), 'cannot be reached'],
    ['ends before the first part', (response: { end(): void }) => response.end(), 'cannot be reached'],
  ])('because it %s fails in one piece', async (_, fail, message) => {
    world.shop.answerInParts();
    const asked = ask(gateway, world.issuer, 'mutation { order { ... @defer { id } } }');
    fail((await world.shop.written()).response as never);
    const answer = await asked;
    await answer.end();
    expect(answer.contentType).toBe('application/json; charset=utf-8');
    expect(JSON.parse(answer.text())).toMatchObject({
      data: { order: null },
      errors: [{ message: `the service "shop" ${message}`, path: ['order'] }],
    });
  });

  test('and whose first part is no JSON fails in one piece', async () => {
    world.shop.answerInParts();
    const asked = ask(gateway, world.issuer, DEFERRED);
    (await world.shop.written()).part('oh');
    const answer = await asked;
    await answer.end();
    expect(JSON.parse(answer.text())).toMatchObject({
      data: { product: null },
      errors: [{ message: 'Remote server response is not valid JSON', path: ['product'] }],
    });
  });

  test('within its time ends with an error, and is cut', async () => {
    const slow = await gatewayWith({ timeout_seconds: 1 });
    const { written, answer } = await begun(slow, world.shop);
    const error = errorOf('the service "shop" did not answer in time', 'timeout');
    expect(await answer.end()).toEqual([FIRST, { errors: [error], hasNext: false }]);
    await until('it is cut', () => written.isCut);
  });

  test('within the time of an operation ends with an error, and is cut', async () => {
    const limited = await gatewayWith(
      {},
      {},
      { 'api_limits.yaml': { disabled: false, time_limit: { global: 1, per_role: {} } } },
    );
    const { written, answer } = await begun(limited, world.shop, PENDING);
    const [, last] = await answer.end();
    const errors = [{ extensions: { code: 'tenant-time-limit-exceeded' } }];
    expect(last).toMatchObject({
      completed: [
        { id: '0', errors },
        { id: '1', errors },
      ],
      hasNext: false,
    });
    await until('it is cut', () => written.isCut);
  });

  test('because it has sent too much ends with an error, and is cut', async () => {
    const small = await gatewayWith({}, { PORTICO_UPSTREAM_MAX_RESPONSE_BYTES: '50000' });
    const { written, answer } = await begun(small, world.shop);
    written.part({ incremental: [{ data: { long: 'x'.repeat(100_000) } }], hasNext: true });
    const error = errorOf('the service "shop" gave an answer that is too large', 'too-large');
    expect(await answer.end()).toEqual([FIRST, { errors: [error], hasNext: false }]);
    await until('it is cut', () => written.isCut);
  });
});

describe('the deadline of the headers', () => {
  test('is for the first part', async () => {
    const strict = await gatewayWith({ resilience: { headers_timeout_seconds: 1 } });
    world.shop.answerInParts();
    const answer = await ask(strict, world.issuer, DEFERRED);
    await answer.end();
    expect(JSON.parse(answer.text())).toMatchObject({ errors: [{ extensions: { reason: 'timeout' } }] });
  });

  test('and for no other one', async () => {
    const strict = await gatewayWith({ resilience: { headers_timeout_seconds: 1 } });
    const { written, answer } = await begun(strict, world.shop);
    // Another operation begins later, and its deadline passes.
    const late = await ask(strict, world.issuer, DEFERRED);
    await late.end();
    expect(JSON.parse(late.text())).toMatchObject({ errors: [{ extensions: { reason: 'timeout' } }] });
    written.part({ hasNext: false });
    expect(await answer.end()).toEqual([FIRST, { hasNext: false }]);
  });
});

describe('a client that goes away', () => {
  test('has its operation cut at the service, and is logged as gone', async () => {
    const { own, metric } = await measured();
    const { written, answer } = await begun(own, world.shop);
    answer.outgoing.destroy();
    await until('it is cut', () => written.isCut);
    await until('it is logged', () => own.logs().includes('"status":499'));
    expect(await metric(IN_FLIGHT)).toBe(0);
    expect(await metric(calls('aborted'))).toBe(1);
    expect(await metric('portico_operations_total{type="query",outcome="errors"}')).toBe(1);
  });
});

describe('an answer in parts', () => {
  test('has its place until the last of them', async () => {
    const { own: narrow, metric } = await measured({
      resilience: { concurrency: { max_in_flight: 1, max_queue: 0 } },
    });
    const { written, answer } = await begun(narrow, world.shop);
    expect(await metric(IN_FLIGHT)).toBe(1);
    const refused = await ask(narrow, world.issuer, DEFERRED);
    await refused.end();
    expect(JSON.parse(refused.text())).toMatchObject({ errors: [{ extensions: { code: 'upstream-overloaded' } }] });
    written.part({ hasNext: false });
    written.end();
    await answer.end();
    await until('the place is free', async () => (await metric(IN_FLIGHT)) === 0);
    expect(await metric(calls('success'))).toBe(1);
    world.shop.instead = undefined;
    const next = await ask(narrow, world.issuer, DEFERRED);
    await next.end();
    expect(JSON.parse(next.text()).data).toBeDefined();
  });

  test('gives its place back with the last of them, though its client has not read it', async () => {
    const { own, metric } = await measured();
    world.shop.answerInParts();
    const asked = ask(own, world.issuer, DEFERRED, { isPaused: true });
    const written = await world.shop.written();
    written.part(FIRST, { incremental: [{ data: { long: 'x'.repeat(20_000_000) }, path: [] }], hasNext: false });
    written.end();
    const answer = await asked;
    await until('the place is free', async () => (await metric(IN_FLIGHT)) === 0);
    expect(answer.response.complete).toBe(false);
    answer.outgoing.destroy();
  });

  test('that is late because of its client says nothing of the service', async () => {
    const breaker = { enabled: true, failure_percent: 100, minimum_requests: 1 };
    const wary = await gatewayWith({ timeout_seconds: 2, resilience: { circuit_breaker: breaker } });
    world.shop.answerInParts();
    const asked = ask(wary, world.issuer, DEFERRED, { isPaused: true });
    const written = await world.shop.written();
    const long = { incremental: [{ data: { long: 'x'.repeat(20_000_000) }, path: [] }], hasNext: true };
    written.part(FIRST, long, long);
    const answer = await asked;
    await until('it is cut', () => written.isCut);
    world.shop.instead = undefined;
    const next = await ask(wary, world.issuer, DEFERRED);
    await next.end();
    expect(JSON.parse(next.text()).errors).toBeUndefined();
    answer.outgoing.destroy();
  });

  test('that is cut counts as a failure of the service', async () => {
    const breaker = { enabled: true, failure_percent: 100, minimum_requests: 1 };
    const wary = await gatewayWith({ resilience: { circuit_breaker: breaker } });
    const { written, answer } = await begun(wary, world.shop);
    written.response.destroy();
    await answer.end();
    const refused = await ask(wary, world.issuer, DEFERRED);
    await refused.end();
    expect(JSON.parse(refused.text())).toMatchObject({ errors: [{ extensions: { code: 'circuit-open' } }] });
  });

  test('is asked for once, though others are shared and tried again', async () => {
    const sharing = await gatewayWith({ resilience: { deduplicate: true, retries: { limit: 2 } } });
    world.shop.answerInParts();
    const asked = [ask(sharing, world.issuer, DEFERRED), ask(sharing, world.issuer, DEFERRED)];
    const both = [await world.shop.written(0), await world.shop.written(1)];
    for (const written of both) written.part(FIRST);
    for (const answer of await Promise.all(asked)) await answer.untilParts(1);
    for (const written of both) written.response.destroy();
    for (const answer of await Promise.all(asked)) expect(await answer.end()).toHaveLength(2);
    expect(world.shop.operations()).toHaveLength(2);
  });

  test('that has not begun is asked for again', async () => {
    world.shop.answerInParts();
    const asked = ask(gateway, world.issuer, DEFERRED);
    (await world.shop.written()).response.destroy();
    const written = await world.shop.written(1);
    written.part(FIRST, { hasNext: false });
    expect(await (await asked).end()).toHaveLength(2);
  });

  test('is finished while the gateway stops', async () => {
    const stopping = await openGateway({
      issuer: world.issuer,
      metadata: { 'remote_schemas.yaml': [{ name: 'shop', definition: { url: world.shop.graphqlUrl } }] },
      environment: { HASURA_GRAPHQL_GRACEFUL_SHUTDOWN_TIMEOUT: '10' },
    });
    const { written, answer } = await begun(stopping, world.shop);
    const stopped = stopping.close();
    await until('it takes no one else', () =>
      stopping.send('/healthz').then(
        () => false,
        () => true,
      ),
    );
    written.part({ hasNext: false });
    written.end();
    expect(await answer.end()).toEqual([FIRST, { hasNext: false }]);
    await stopped;
  });

  test('is read no faster than its client reads', async () => {
    world.shop.answerInParts();
    const asked = ask(gateway, world.issuer, DEFERRED, { isPaused: true });
    const written = await world.shop.written();
    written.part(FIRST);
    const answer = await asked;
    const MANY = 500;
    const sending = writeMany(written, MANY);
    // What is in the buffers of all parties is far less than all 50 MB.
    await sending.standsStill();
    expect(sending.sent()).toBeLessThan(MANY / 2);
    let bytes = 0;
    answer.response.on('data', (piece: Buffer) => {
      bytes += piece.length;
    });
    await answer.end();
    expect(sending.sent()).toBe(MANY);
    expect(bytes).toBeGreaterThan(MANY * 100_000);
  });
});

describe('what is answered in one piece', () => {
  const piece = { data: { product: { id: '1', reviews: ['good'] } } };

  const answered = async (of: TestGateway, query = DEFERRED, path?: string) => {
    const answer = await ask(of, world.issuer, query, path === undefined ? {} : { path });
    await answer.end();
    expect(answer.contentType).toBe('application/json; charset=utf-8');
    expect(world.shop.operations().map(({ headers }) => headers.accept)).toEqual(['application/json']);
    return JSON.parse(answer.text());
  };

  test('is what a customized source answers', async () => {
    const renamed = await gatewayWith({ customization: { type_names: { prefix: 'Shop_' } } });
    expect(await answered(renamed)).toEqual(piece);
  });

  test('and what a role with presets asks', async () => {
    const schema =
      'type Query { product(id: ID @preset(value: "1")): Product } type Product { id: ID! reviews: [String!] }';
    const preset = await gatewayWith(
      {},
      {},
      {
        'remote_schemas.yaml': [
          {
            name: 'shop',
            definition: { url: world.shop.graphqlUrl },
            permissions: [{ role: 'user', definition: { schema } }],
          },
        ],
      },
    );
    expect(await answered(preset)).toEqual(piece);
  });

  test('and what saved operations answer', async () => {
    const rest = await gatewayWith(
      {},
      {},
      {
        'query_collections.yaml': [{ name: 'allowed', definition: { queries: [{ name: 'q', query: DEFERRED }] } }],
        'rest_endpoints.yaml': [
          {
            name: 'q',
            url: 'q',
            methods: ['POST'],
            definition: { query: { collection_name: 'allowed', query_name: 'q' } },
            comment: '',
          },
        ],
      },
    );
    expect(await answered(rest, DEFERRED, '/api/rest/q')).toEqual(piece.data);
  });

  test('and what a service answers that does not declare the directives, or not as they are used', async () => {
    const { SHOP } = await import('./world.ts');
    const plain = await keep(partsShop(SHOP));
    const bare = await keep(partsShop(`directive @defer(if: Boolean) on INLINE_FRAGMENT ${SHOP}`));
    const both = await keep(
      openGateway({
        issuer: world.issuer,
        metadata: {
          'remote_schemas.yaml': [
            {
              name: 'plain',
              definition: { url: plain.graphqlUrl, customization: { root_fields_namespace: 'plain' } },
            },
            { name: 'bare', definition: { url: bare.graphqlUrl } },
          ],
        },
      }),
    );
    const answer = await ask(both, world.issuer, DEFERRED);
    await answer.end();
    expect(JSON.parse(answer.text())).toEqual(piece);
    expect(bare.operations().map(({ body }) => body.query)).toEqual(['{product{id ...{reviews}}}']);
    const known = '{ product { ... @defer { id } } products @stream { id } }';
    await (await ask(both, world.issuer, known)).end();
    expect(bare.operations()[1]?.body.query).toBe('{product{...@defer{id}}products{id}}');
  });
});
