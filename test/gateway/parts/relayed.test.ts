import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { type TestGateway, until } from '../harness/index.ts';
import { FIRST as FIRST_2022 } from './begun-answer.ts';
import { ask, DEFER_2022, DEFERRED, openWorld, type World } from './world.ts';

let world: World;
let gateway: TestGateway;

beforeAll(async () => {
  world = await openWorld();
  gateway = await world.gateway();
});
afterAll(() => world.close());
afterEach(() => world.forget());

const LAST_2022 = {
  incremental: [{ data: { reviews: ['good'] }, path: ['product'], label: 'r' }],
  hasNext: false,
};
const FIRST_NEW = {
  data: { product: { id: '1' } },
  pending: [{ id: '0', path: ['product'], label: 'r' }],
  hasNext: true,
};
const LAST_NEW = {
  incremental: [{ id: '0', data: { reviews: ['good'] } }],
  completed: [{ id: '0' }],
  hasNext: false,
};

describe('parts that a service delivers', () => {
  test.each([
    ['of August 2022', FIRST_2022, LAST_2022],
    ['of the proposal of today', FIRST_NEW, LAST_NEW],
  ])('in the form %s are relayed when they come', async (_, first, last) => {
    world.shop.answerInParts();
    const asked = ask(gateway, world.issuer, DEFERRED);
    const written = await world.shop.written();
    written.part(first);
    const answer = await asked;
    expect(answer.status).toBe(200);
    expect(answer.contentType).toBe('multipart/mixed; boundary="-"');
    expect(answer.response.headers).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
    expect(answer.response.headers['x-request-id']).toBe(written.received.headers['x-request-id']);
    expect(await answer.untilParts(1)).toEqual([first]);
    written.part(last);
    written.end();
    expect(await answer.end()).toEqual([first, last]);
    expect(answer.text().endsWith('\r\n-----\r\n')).toBe(true);
  });

  test('are asked for with the directives, as the client has asked for them, with the caller’s claims', async () => {
    world.shop.answerInParts({ contentType: 'multipart/mixed;boundary="graphql";deferSpec=20220824' });
    const query =
      'query Q($late: Boolean!, $n: Int) { product { id ...R @defer(if: $late) } products @stream(initialCount: $n) { id } } fragment R on Product { reviews }';
    const accept =
      'multipart/mixed;boundary="graphql";subscriptionSpec=1.0, multipart/mixed; deferSpec=20220824, application/json';
    const asked = ask(gateway, world.issuer, query, { accept, variables: { late: true, n: 1 } });
    const { received, response } = await world.shop.written();
    expect(received.headers).toMatchObject({
      accept: 'multipart/mixed; deferSpec=20220824, application/json',
      'accept-encoding': 'identity',
      'x-hasura-role': 'user',
    });
    expect(received.body).toEqual({
      query:
        'query Q($late:Boolean!$n:Int){product{id ...R@defer(if:$late)}products@stream(initialCount:$n){id}}fragment R on Product{reviews}',
      operationName: 'Q',
      variables: { late: true, n: 1 },
    });
    response.write('\r\n--graphql\r\n\r\n{"data":{},"hasNext":true}\r\n--graphql');
    response.end('\r\n\r\n{"hasNext":false}\r\n--graphql--');
    const answer = await asked;
    expect(answer.contentType).toBe('multipart/mixed; boundary="-";deferSpec=20220824');
    expect(await answer.end()).toEqual([{ data: {}, hasNext: true }, { hasNext: false }]);
  });

  test('are asked for with what is preset for a role', async () => {
    const schema =
      'type Query { product(id: ID @preset(value: "x-hasura-user-id")): Product } type Product { id: ID! reviews: [String!] }';
    const remote = { name: 'shop', definition: { url: world.shop.graphqlUrl } };
    const permissions = [{ role: 'user', definition: { schema } }];
    const preset = await world.gatewayWith({}, {}, { 'remote_schemas.yaml': [{ ...remote, permissions }] });
    world.shop.answerInParts();
    const asked = ask(preset, world.issuer, DEFERRED);
    const written = await world.shop.written();
    expect(written.received.body).toMatchObject({ variables: { preset_0: '7' } });
    written.part(FIRST_NEW, LAST_NEW);
    written.end();
    expect(await (await asked).end()).toEqual([FIRST_NEW, LAST_NEW]);
    await preset.close();
  });

  test('are relayed as their bytes are', async () => {
    world.shop.answerInParts();
    const asked = ask(gateway, world.issuer, DEFERRED);
    const written = await world.shop.written();
    const first = '{ "hasNext" : true,\r\n "data": {"product":{"id":12345678901234567890.10}}}';
    const next = '{"incremental":[{"data":{"hasNext": false,"a":1e400}}],\n"hasNext":true}';
    written.part(first, next, '{"hasNext":false}');
    written.end();
    const answer = await asked;
    await answer.end();
    expect(answer.text()).toContain(`\r\n\r\n${first}\r\n---`);
    expect(answer.text()).toContain(`\r\n\r\n${next}\r\n---`);
    expect(answer.text().endsWith('\r\n\r\n{"hasNext":false}\r\n-----\r\n')).toBe(true);
  });

  test('may come in pieces of any size', async () => {
    world.shop.answerInParts();
    const asked = ask(gateway, world.issuer, DEFERRED);
    const { response } = await world.shop.written();
    const long = 'ü'.repeat(100_000);
    const body = Buffer.from(
      `\r\ncontent-type: application/json\r\n\r\n${JSON.stringify(FIRST_2022)}\r\n---\r\n\r\n${JSON.stringify({ ...LAST_2022, long, hasNext: true })}\r\n---\r\n\r\n{"hasNext":false}\r\n-----\r\nepilogue`,
    );
    response.socket?.setNoDelay(true);
    for (const piece of [...body.subarray(0, 150)].map((byte) => Buffer.from([byte])))
      await new Promise<void>((resolve) => response.write(piece, () => setImmediate(resolve)));
    response.end(body.subarray(150));
    expect(await (await asked).end()).toEqual([FIRST_2022, { ...LAST_2022, long, hasNext: true }, { hasNext: false }]);
  });

  test('end for the client with the last of them, whatever the service does then', async () => {
    world.shop.answerInParts();
    const asked = ask(gateway, world.issuer, DEFERRED);
    const written = await world.shop.written();
    written.part(FIRST_2022, LAST_2022);
    expect(await (await asked).end()).toEqual([FIRST_2022, LAST_2022]);
    written.response.destroy();
  });

  test('of a mutation are relayed too', async () => {
    world.shop.answerInParts();
    const asked = ask(gateway, world.issuer, 'mutation { order { id ... @defer { stock } } }');
    const written = await world.shop.written();
    written.part({ data: { order: { id: '1' } }, hasNext: true }, { hasNext: false });
    written.end();
    expect(await (await asked).end()).toHaveLength(2);
  });

  test('bring the cookies of the service, and what it says of HTTP before the first', async () => {
    world.shop.answerInParts({ headers: { 'set-cookie': ['a=1', 'b=2'] } });
    const asked = ask(gateway, world.issuer, DEFERRED);
    const written = await world.shop.written();
    written.part({ ...FIRST_2022, extensions: { http: { headers: { 'Retry-After': '3' } }, secret: 1 } });
    written.part({ ...LAST_2022, extensions: { secret: 1 } });
    written.end();
    const answer = await asked;
    expect(answer.response.headers).toMatchObject({ 'set-cookie': ['a=1', 'b=2'], 'retry-after': '3' });
    expect(await answer.end()).toEqual([FIRST_2022, LAST_2022]);
  });

  test('of a form that a client asks for by GET are relayed too', async () => {
    world.shop.answerInParts();
    const path = `/v1/graphql?query=${encodeURIComponent(DEFERRED)}`;
    const headers = { authorization: `Bearer ${world.issuer.token()}`, accept: 'multipart/mixed' };
    const asked = gateway.send(path, { headers });
    const written = await world.shop.written();
    written.part(FIRST_2022, LAST_2022);
    written.end();
    expect((await asked).headers['content-type']).toBe('multipart/mixed; boundary="-"');
  });
});

describe('parts', () => {
  test('come to a role with permissions, and by the hash of a document too', async () => {
    const schema = 'type Query { product: Product } type Product { id: ID! reviews: [String!] }';
    const permitted = await world.gateway({
      metadata: {
        'remote_schemas.yaml': [
          {
            name: 'shop',
            definition: { url: world.shop.graphqlUrl },
            permissions: [{ role: 'user', definition: { schema } }],
          },
        ],
      },
    });
    const sha256Hash = createHash('sha256').update(DEFERRED).digest('hex');
    const extensions = { persistedQuery: { version: 1, sha256Hash } };
    for (const query of [DEFERRED, undefined]) {
      world.shop.answerInParts();
      const asked = ask(permitted, world.issuer, query, { extensions });
      const written = await world.shop.written();
      written.part(FIRST_2022, LAST_2022);
      written.end();
      expect(await (await asked).end()).toEqual([FIRST_2022, LAST_2022]);
    }
  });

  test('that are compressed without Accept-Encoding cannot be read', async () => {
    world.shop.answerInParts({ headers: { 'content-encoding': 'gzip' } });
    const asked = ask(gateway, world.issuer, DEFERRED);
    const written = await world.shop.written();
    written.part(FIRST_2022);
    written.end();
    const answer = await asked;
    await answer.end();
    expect(JSON.parse(answer.text()).errors).toMatchObject([{ message: 'Remote server response is not valid JSON' }]);
  });
});

describe('errors in parts', () => {
  const trace = { stacktrace: ['at secret.js:1'], exception: {}, reason: 'sold' };

  test.each([
    [
      'of August 2022',
      { ...FIRST_2022, errors: [{ message: 'a', path: ['product', 'stock'], locations: [], extensions: trace }] },
      {
        incremental: [{ path: ['product'], data: null, errors: [{ message: 'b' }], extensions: { secret: 1 } }],
        hasNext: false,
      },
      { incremental: [{ path: ['product'], data: null }], hasNext: false },
      ['incremental', 0, 'errors'],
    ],
    [
      'of today',
      { ...FIRST_NEW, errors: [{ message: 'a', path: ['product', 'stock'], extensions: trace }] },
      { completed: [{ id: '0', errors: [{ message: 'b' }] }], hasNext: false },
      { completed: [{ id: '0' }], hasNext: false },
      ['completed', 0, 'errors'],
    ],
  ])('%s are reported as those of a response without @defer', async (_, first, last, kept, place) => {
    world.shop.answerInParts();
    const asked = ask(gateway, world.issuer, DEFERRED);
    const written = await world.shop.written();
    written.part(first, last);
    written.end();
    const [one, two] = await (await asked).end();
    const extensions = { path: '$', code: 'remote-schema-error', service: 'shop' };
    expect(one).toEqual({
      ...first,
      errors: [{ message: 'a', path: ['product', 'stock'], extensions: { ...extensions, reason: 'sold' } }],
    });
    expect(two).toMatchObject(kept);
    expect(two).toHaveProperty(place as string[], [{ message: 'b', extensions }]);
    expect(JSON.stringify(two)).not.toContain('secret');
  });
});

describe('what is not to come in parts', () => {
  const piece = { data: { product: { id: '1', reviews: ['good'] } } };

  test.each([
    ['application/json'],
    ['*/*'],
    ['multipart/mixed;q=0, application/json'],
    ['multipart/mixed;subscriptionSpec=1.0, application/json'],
  ])('for a client that accepts %s comes in one piece, and the service is asked for that', async (accept) => {
    const answer = await ask(gateway, world.issuer, DEFERRED, { accept });
    await answer.end();
    expect(answer.contentType).toBe('application/json; charset=utf-8');
    expect(JSON.parse(answer.text())).toEqual(piece);
    const [{ headers, body } = { headers: {}, body: undefined }] = world.shop.operations();
    expect(headers.accept).toBe('application/json');
    expect(body?.query).toBe('{product{id ...{reviews}}}');
  });

  test('because the service answers in one piece is relayed in one piece', async () => {
    const answer = await ask(gateway, world.issuer, DEFERRED);
    await answer.end();
    expect(answer.contentType).toBe('application/json; charset=utf-8');
    expect(JSON.parse(answer.text())).toEqual(piece);
    expect(world.shop.operations()[0]?.body.query).toBe('{product{id ...@defer(label:"r"){reviews}}}');
  });

  test('because the first part is the last is answered in one piece', async () => {
    world.shop.answerInParts();
    const asked = ask(gateway, world.issuer, DEFERRED);
    const written = await world.shop.written();
    written.part({ ...piece, hasNext: false, extensions: { secret: 1 } });
    written.end();
    const answer = await asked;
    await answer.end();
    expect(answer.contentType).toBe('application/json; charset=utf-8');
    expect(JSON.parse(answer.text())).toEqual(piece);
  });

  test.each([
    ['{ ... @defer { product { id } } __schema { queryType { name } } }', 'several answer it'],
    ['{ product { id } }', 'nothing in it is deferred'],
  ])('%s, as %s', async (query) => {
    const answer = await ask(gateway, world.issuer, query);
    await answer.end();
    expect(answer.contentType).toBe('application/json; charset=utf-8');
    expect(JSON.parse(answer.text()).errors).toBeUndefined();
    expect(world.shop.operations()[0]?.headers.accept).toBe('application/json');
  });

  test('for a client that takes parts only comes as the one part', async () => {
    const answer = await ask(gateway, world.issuer, '{ product { id } }', { accept: 'multipart/mixed' });
    expect(await answer.end()).toEqual([{ data: { product: { id: '1' } } }]);
    expect(answer.contentType).toBe('multipart/mixed; boundary="-"');
    expect(answer.text().endsWith('\r\n-----\r\n')).toBe(true);
  });

  test('of a batch comes in one piece', async () => {
    const { body } = await gateway.post('/v1/graphql', [{ query: DEFERRED }], {
      accept: DEFER_2022,
      authorization: `Bearer ${world.issuer.token()}`,
    });
    expect(body).toEqual([piece]);
  });

  test('is refused as ever', async () => {
    const answer = await ask(gateway, world.issuer, '{ product { ... @defer { nothing } } }');
    await answer.end();
    expect(JSON.parse(answer.text()).errors).toMatchObject([{ extensions: { code: 'validation-failed' } }]);
    expect(world.shop.operations()).toHaveLength(0);
  });
});

test('an answer in parts is logged once, when it is over', async () => {
  world.shop.answerInParts();
  const asked = ask(gateway, world.issuer, DEFERRED, { headers: { 'x-request-id': 'in-parts-1' } });
  const written = await world.shop.written();
  written.part(FIRST_2022);
  const answer = await asked;
  await answer.untilParts(1);
  const line = () =>
    gateway
      .logs()
      .split('\n')
      .find((one) => one.includes('http-log') && one.includes('in-parts-1'));
  expect(line()).toBeUndefined();
  written.part(LAST_2022);
  written.end();
  await answer.end();
  expect(await until('it is logged', line)).toContain('"status":200');
});
