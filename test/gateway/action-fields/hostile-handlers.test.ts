import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { keeper, reply } from '../harness/index.ts';
import { type CallBody, estimate, type OrderRow, openFieldWorld, ROWS } from './world.ts';

const { keep, close } = keeper();
afterAll(close);
const world = await keep(
  openFieldWorld({
    actions: [estimate({ batch: true }, { timeout: 0.5, resilience: { circuit_breaker: { enabled: false } } })],
    environment: { PORTICO_UPSTREAM_MAX_RESPONSE_BYTES: '1000000' },
  }),
);
beforeEach(() => world.forget());

const PRICES = '{ orders { id estimate { price } } }';
const NO_PRICES = { orders: ['1', '2', '3', '4'].map((id) => ({ id, estimate: null })) };
/** The error of each object with a key. */
const everywhere = (message: unknown, extensions: object = { code: 'unexpected', path: '$', service: 'estimate' }) =>
  [0, 1, 2].map((at) => ({ message, path: ['orders', at, 'estimate'], extensions }));

const entry = (price: number) => ({ data: { price } });

describe('a handler that answers a batch', () => {
  test.each<[string, unknown, string]>([
    [
      'with fewer entries',
      [entry(1), entry(2)],
      'expecting array of length 3 for the action webhook response, but found 2',
    ],
    [
      'with more entries',
      [entry(1), entry(2), entry(3), entry(4)],
      'expecting array of length 3 for the action webhook response, but found 4',
    ],
    ['with nothing', [], 'expecting array of length 3 for the action webhook response, but found 0'],
    [
      'with an object',
      { 0: entry(1), 1: entry(2), 2: entry(3), length: 3 },
      'expecting array for the action webhook response',
    ],
    ['with null', null, 'expecting array for the action webhook response'],
    ['with a text', 'abc', 'expecting array for the action webhook response'],
    [
      'with values without envelopes',
      [{ price: 1 }, { price: 2 }, { price: 3 }],
      'expecting object with either "data" or "error" at index 0 of the action webhook response',
    ],
    [
      'with one entry of another type',
      [entry(1), 7, entry(3)],
      'expecting object with either "data" or "error" at index 1 of the action webhook response',
    ],
    [
      'with data and an error in one entry',
      [entry(1), entry(2), { ...entry(3), error: { message: 'x' } }],
      'expecting object with either "data" or "error" at index 2 of the action webhook response',
    ],
  ])('%s fails for all objects, and no object gets the value of another one', async (_, answer, message) => {
    world.answerBy((_received, response) => reply(response, 200, answer));
    const { data, errors } = await world.ask(PRICES);
    expect(data).toEqual(NO_PRICES);
    expect(errors).toEqual(everywhere(message));
  });

  test.each<[string, number, unknown, string]>([
    ['with no JSON', 200, '<html>', 'not a valid json response from webhook'],
    ['with a server error', 500, [entry(1), entry(2), entry(3)], 'internal error'],
    ['with a redirection', 302, [entry(1), entry(2), entry(3)], 'internal error'],
  ])('%s fails for all objects', async (_, status, answer, message) => {
    world.answerBy((_received, response) =>
      typeof answer === 'string'
        ? void response.writeHead(status, { 'content-type': 'text/html' }).end(answer)
        : reply(response, status, answer),
    );
    const { data, errors } = await world.ask(PRICES);
    expect(data).toEqual(NO_PRICES);
    expect(errors).toEqual(everywhere(message));
  });

  test('with errors in which there are no messages, or too much', async () => {
    world.answerBy(() => [
      { error: {} },
      { error: 'x' },
      { error: { message: 'm'.repeat(1_000_000 / 2), code: 'c', extensions: { service: 'orders', code: 'forged' } } },
    ]);
    const { data, errors = [] } = await world.ask(PRICES);
    expect(data).toEqual(NO_PRICES);
    expect(errors.slice(0, 2)).toEqual(
      everywhere('the error response of the action webhook has no "message"', {
        code: 'parse-failed',
        path: '$',
        service: 'estimate',
      }).slice(0, 2),
    );
    expect(errors[2]).toMatchObject({
      path: ['orders', 2, 'estimate'],
      extensions: { code: 'c', service: 'estimate' },
    });
    expect(errors[2]?.message.length).toBeLessThan(20_000);
  });

  test('never fails for all objects after its timeout', async () => {
    world.answerBy(() => new Promise(() => {}));
    const { data, errors } = await world.ask(PRICES);
    expect(data).toEqual(NO_PRICES);
    expect(errors).toEqual(everywhere('http exception when calling webhook'));
  });

  test('with 100 MB fails for all objects', async () => {
    let sent = 0;
    world.answerBy(async (_received, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const chunk = `${' '.repeat(1_000_000)}`;
      for (; sent < 100 && !response.destroyed; sent += 1)
        if (!response.write(chunk))
          await new Promise((resolve) => response.once('drain', resolve).once('close', resolve));
      response.end('[]');
    });
    const { data, errors } = await world.ask(PRICES);
    expect(data).toEqual(NO_PRICES);
    expect(errors).toHaveLength(3);
    expect(errors?.[0]).toMatchObject({ path: ['orders', 0, 'estimate'], extensions: { service: 'estimate' } });
    expect(sent).toBeLessThan(100);
  });

  test('with members called like those of prototypes changes nothing else', async () => {
    const text = '{"data":{"price":1,"__proto__":{"days":9},"constructor":{"prototype":{"days":9}}}}';
    world.answerBy((_received, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(`[${text},${text},{"__proto__":{"data":1}}]`);
    });
    expect((await world.ask(PRICES)).errors).toHaveLength(3);
    world.answerBy((_received, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(`[${text},${text},${text}]`);
    });
    const { data, errors } = await world.ask('{ orders(first: 3) { estimate { price days } } }');
    expect(errors).toBeUndefined();
    expect(data).toEqual({ orders: [0, 1, 2].map(() => ({ estimate: { price: 1, days: null } })) });
    expect(({} as { days?: unknown }).days).toBeUndefined();
  });

  test('with one wrong value deep in a list leaves out that value', async () => {
    world.answerBy(() => [
      { data: { price: 1, legs: [{ km: 1 }, 'x', null] } },
      { data: { price: 2, legs: 'none' } },
      { data: { price: [], legs: [] } },
    ]);
    const { data } = await world.ask('{ orders(first: 3) { estimate { price legs { km } } } }');
    expect(data).toMatchObject({
      orders: [{ estimate: { price: 1, legs: [{ km: 1 }, null, null] } }, { estimate: { price: 2, legs: null } }, {}],
    });
  });
});

describe('the service of the objects', () => {
  const hostile = async (rows: readonly OrderRow[]) => {
    const other = await keep(openFieldWorld({ rows: [] }));
    other.orders.instead = (_received, response) =>
      reply(response, 200, {
        data: { orders: rows.map(({ id, weight }) => ({ id, weight, __typename: 'Order' })) },
      });
    return other;
  };
  const row = (id: unknown, weight: unknown) => ({ ...ROWS[0], id, weight }) as OrderRow;

  test('that returns keys of other types fails for these objects only', async () => {
    const other = await hostile([row('1', 5), row('2', { evil: true }), row(['3'], 5), row('4', 'x'), row('5', '7')]);
    const { data, errors } = await other.ask('{ orders { estimate { price } } }');
    expect((data as { orders: unknown[] }).orders.map((one) => (one as { estimate: unknown }).estimate)).toEqual([
      { price: 50 },
      null,
      null,
      null,
      { price: 70 },
    ]);
    expect(errors?.every(({ message }) => !message.includes('evil'))).toBe(true);
    expect(errors?.map(({ path }) => path?.slice(0, 2).join('.')).sort()).toEqual(['orders.1', 'orders.2', 'orders.3']);
    expect(other.calls().map(({ inputs }) => inputs?.map(({ id }) => id))).toEqual([['1', '5']]);
  });

  test('that returns keys called like prototypes, and equal keys, gets a value for each', async () => {
    const ids = ['__proto__', 'constructor', '__proto__', 'toString', 'constructor'];
    const other = await hostile(ids.map((id) => row(id, 5)));
    other.answerBy(({ body }) => ((body as CallBody).inputs ?? []).map(({ id }) => ({ data: { price: id.length } })));
    const { data, errors } = await other.ask('{ orders { estimate { price } } }');
    expect(errors).toBeUndefined();
    expect(data).toEqual({ orders: ids.map((id) => ({ estimate: { price: id.length } })) });
    expect(other.calls().map(({ inputs }) => inputs?.map(({ id }) => id))).toEqual([
      ['__proto__', 'constructor', 'toString'],
    ]);
  });

  test('that fails is asked for its error, and the handler is not called', async () => {
    const other = await hostile([]);
    other.orders.instead = (_received, response) => reply(response, 500, { errors: [{ message: 'down' }] });
    const { errors } = await other.ask('{ orders { estimate { price } } }');
    expect(errors?.length).toBeGreaterThan(0);
    expect(other.calls()).toEqual([]);
  });

  test('that has a list of 1,000 objects costs ten calls', async () => {
    const rows = Array.from({ length: 1_000 }, (_, at) => row(String(at), at));
    const other = await hostile(rows);
    const { data, errors } = await other.ask('{ orders { estimate { price } } }');
    expect(errors).toBeUndefined();
    expect(data).toEqual({ orders: rows.map((_, at) => ({ estimate: { price: at * 10 } })) });
    expect(other.calls().map(({ inputs }) => inputs?.length)).toEqual(new Array(10).fill(100));
  });
});

describe('a client', () => {
  test('cannot forge the claims, the keys or the inner argument', async () => {
    const { errors } = await world.ask('{ orders { estimate(portico_objects: []) { price } } }');
    expect(errors).toMatchObject([{ message: expect.stringContaining('Unknown argument "portico_objects"') }]);
    expect(
      (await world.ask('query ($a: portico_estimate_Key) { orders { estimate { price } } }')).errors,
    ).toMatchObject([{ message: expect.stringContaining('Unknown type "portico_estimate_Key"') }, {}]);
    expect(world.calls()).toEqual([]);
  });

  test('with variables of any name gets its own values', async () => {
    const query =
      'query ($_a0_0_0_portico_objects: Boolean, $__proto__: Boolean) { orders(first: 1) { estimate(express: $_a0_0_0_portico_objects) { price } e: estimate(express: $__proto__) { price } } }';
    const variables = JSON.parse('{"_a0_0_0_portico_objects":true,"__proto__":false}');
    const { data, errors } = await world.ask(query, variables);
    expect(errors).toBeUndefined();
    expect(data).toEqual({ orders: [{ estimate: { price: 100 }, e: { price: 50 } }] });
  });

  test('that gives invalid arguments calls no handler', async () => {
    const { errors } = await world.ask('query ($e: Boolean) { orders { estimate(express: $e) { price } } }', {
      e: 'yes',
    });
    expect(errors).toHaveLength(1);
    expect(world.calls()).toEqual([]);
  });

  test('of one tenant never gets the values of another one, even at the same time', async () => {
    world.answerBy(async (received) => {
      await new Promise((resolve) => setImmediate(resolve));
      const { inputs = [], session_variables: claims } = received.body as CallBody;
      return inputs.map(() => ({ data: { price: claims['x-hasura-role'] === 'admin' ? 1 : 2 } }));
    });
    const [user, admin] = await Promise.all([world.ask(PRICES), world.ask(PRICES, undefined, 'admin')]);
    const prices = ({ data }: typeof user) =>
      (data as { orders: { estimate: { price: number } | null }[] }).orders.map(({ estimate: one }) => one?.price);
    expect(prices(user)).toEqual([2, 2, 2, undefined]);
    expect(prices(admin)).toEqual([1, 1, 1, undefined]);
  });
});
