import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { type TestGateway, until } from '../harness/index.ts';
import { FIRST, PENDING } from './begun-answer.ts';
import { mergedNewer } from './newer-format.ts';
import { ask, DEFERRED, openWorld, type ReadAnswer, type World } from './world.ts';

let world: World;
let gateway: TestGateway;

beforeAll(async () => {
  world = await openWorld();
  gateway = await world.gateway();
});
afterAll(() => world.close());
afterEach(() => world.forget());

const NEWER = 'multipart/mixed;incrementalSpec=v0.2, application/json';
const LAST = { hasNext: false };
const ERROR = { message: 'no', path: ['product', 'stock'] };
const RELAYED_ERROR = { ...ERROR, extensions: { path: '$', code: 'remote-schema-error', service: 'shop' } };
const CUT = { message: 'the service "shop" did not complete its response' };

/** The response of a service that sends these payloads, to a client of v0.2. */
async function answered(payloads: readonly unknown[], accept = NEWER): Promise<ReadAnswer> {
  world.shop.answerInParts({ contentType: 'multipart/mixed; boundary="-"; deferSpec=20220824' });
  const asked = ask(gateway, world.issuer, DEFERRED, { accept });
  const written = await world.shop.written();
  written.part(...payloads);
  written.end();
  const answer = await asked;
  await answer.end();
  return answer;
}

describe('a client of v0.2, and a service of the older format', () => {
  test('the service is asked for either format, the newer one first', async () => {
    await answered([FIRST, LAST]);
    const [{ headers } = { headers: {} as Record<string, unknown> }] = world.shop.operations();
    expect(headers.accept).toBe(
      'multipart/mixed;incrementalSpec=v0.2, multipart/mixed; deferSpec=20220824, application/json',
    );
  });

  test('a deferred fragment is announced, delivered and completed', async () => {
    const answer = await answered([
      FIRST,
      { incremental: [{ data: { reviews: ['good'] }, path: ['product'], label: 'r' }], hasNext: true },
      LAST,
    ]);
    expect(answer.contentType).toBe('multipart/mixed; boundary="-"; incrementalSpec=v0.2');
    expect(answer.parts()).toEqual([
      { data: { product: { id: '1' } }, pending: [{ id: '0', path: [] }], hasNext: true },
      {
        pending: [{ id: '1', path: ['product'], label: 'r' }],
        incremental: [{ id: '1', data: { reviews: ['good'] } }],
        completed: [{ id: '1' }],
        hasNext: true,
      },
      { completed: [{ id: '0' }], hasNext: false },
    ]);
    expect(mergedNewer(answer.parts())).toMatchObject({
      data: { product: { id: '1', reviews: ['good'] } },
      errors: [],
    });
  });

  test('a payload comes when the service sends it', async () => {
    world.shop.answerInParts();
    const asked = ask(gateway, world.issuer, DEFERRED, { accept: NEWER });
    const written = await world.shop.written();
    written.part(FIRST);
    const answer = await asked;
    expect(await answer.untilParts(1)).toHaveLength(1);
    written.part(LAST);
    written.end();
    expect(mergedNewer(await answer.end()).data).toEqual({ product: { id: '1' } });
  });

  test.each([
    [
      'items of a list, of two lists by turns',
      [
        { data: { a: [1], b: [] }, hasNext: true },
        {
          incremental: [
            { items: [2, 3], path: ['a', 1], label: 's' },
            { items: ['x'], path: ['b', 0] },
          ],
          hasNext: true,
        },
        {
          incremental: [
            { items: ['y'], path: ['b', 1] },
            { items: [4], path: ['a', 3], label: 's' },
          ],
          hasNext: false,
        },
      ],
      { a: [1, 2, 3, 4], b: ['x', 'y'] },
      [],
    ],
    [
      'a list in a deferred fragment',
      [
        { data: { p: {} }, hasNext: true },
        { incremental: [{ data: { l: [1] }, path: ['p'] }], hasNext: true },
        { incremental: [{ items: [2], path: ['p', 'l', 1] }], hasNext: false },
      ],
      { p: { l: [1, 2] } },
      [],
    ],
    [
      'errors within a fragment',
      [FIRST, { incremental: [{ data: { stock: null }, path: ['product'], errors: [ERROR] }], hasNext: false }],
      { product: { id: '1', stock: null } },
      [RELAYED_ERROR],
    ],
    [
      'a fragment that an error has made null',
      [FIRST, { incremental: [{ data: null, path: ['product'], errors: [ERROR] }], hasNext: false }],
      { product: { id: '1' } },
      [RELAYED_ERROR],
    ],
    [
      'a list that an error has ended',
      [
        { data: { l: [1] }, hasNext: true },
        { incremental: [{ items: [2], path: ['l', 1] }], hasNext: true },
        { incremental: [{ items: null, path: ['l', 2], errors: [ERROR] }], hasNext: false },
      ],
      { l: [1, 2] },
      [RELAYED_ERROR],
    ],
    ['errors of the first payload', [{ ...FIRST, errors: [ERROR] }, LAST], { product: { id: '1' } }, [RELAYED_ERROR]],
    [
      'errors beside no result',
      [FIRST, { errors: [ERROR], hasNext: false }],
      { product: { id: '1' } },
      [RELAYED_ERROR],
    ],
    [
      'the format before that of August 2022, one result a payload',
      [FIRST, { data: { stock: 5 }, path: ['product'], label: 'r', hasNext: false }],
      { product: { id: '1', stock: 5 } },
      [],
    ],
    [
      'a result for clients of either format',
      [FIRST, { incremental: [{ id: '9', data: { stock: 5 }, path: ['product'] }], hasNext: false }],
      { product: { id: '1', stock: 5 } },
      [],
    ],
    [
      'names of what every object has',
      [FIRST, { incremental: [{ data: { constructor: 1 }, path: ['product'], label: '__proto__' }], hasNext: false }],
      { product: { id: '1', constructor: 1 } },
      [],
    ],
  ])('%s', async (_, payloads, data, errors) => {
    const merged = mergedNewer((await answered(payloads)).parts());
    expect(merged.data).toEqual(data);
    expect(merged.errors).toEqual(errors);
  });

  test('as server-sent events', async () => {
    world.shop.answerInParts();
    const asked = ask(gateway, world.issuer, DEFERRED, {
      accept: 'text/event-stream, multipart/mixed;incrementalSpec=v0.2',
    });
    const written = await world.shop.written();
    written.part(FIRST, { incremental: [{ data: { stock: 5 }, path: ['product'] }], hasNext: false });
    written.end();
    const answer = await asked;
    await answer.end();
    const payloads = [...answer.text().matchAll(/^data: (\{.*\})$/gm)].map(([, json]) => JSON.parse(json ?? ''));
    expect(mergedNewer(payloads).data).toEqual({ product: { id: '1', stock: 5 } });
  });

  test('a service that is cut ends what is pending with an error', async () => {
    world.shop.answerInParts();
    const asked = ask(gateway, world.issuer, DEFERRED, { accept: NEWER });
    const written = await world.shop.written();
    written.part(FIRST, { incremental: [{ items: [1], path: ['product', 'l', 0] }], hasNext: true });
    const answer = await asked;
    await answer.untilParts(2);
    written.response.destroy();
    const [last] = (await answer.end()).slice(-1);
    expect(last).toMatchObject({
      completed: [
        { id: '0', errors: [CUT] },
        { id: '1', errors: [CUT] },
      ],
      hasNext: false,
    });
  });
});

describe('payloads that cannot be translated end with an error, and the service is cut', () => {
  test.each([
    [
      'both formats at once',
      { pending: [{ id: '1', path: [] }], incremental: [{ data: {}, path: [] }], hasNext: true },
    ],
    ['the newer format after the older one', { incremental: [{ id: '1', data: {} }], hasNext: true }],
    ['completions of the newer format', { completed: [{ id: '0' }], hasNext: true }],
    [
      'items in another order',
      {
        incremental: [
          { items: [1], path: ['l', 0] },
          { items: [3], path: ['l', 2] },
        ],
        hasNext: true,
      },
    ],
    ['items of no list', { incremental: [{ items: [1], path: ['l'] }], hasNext: true }],
    ['items that are no list', { incremental: [{ items: 'x', path: ['l', 0] }], hasNext: true }],
    ['a path of objects', { incremental: [{ data: {}, path: [{ a: 1 }] }], hasNext: true }],
    ['a label that is no text', { incremental: [{ data: {}, path: [], label: {} }], hasNext: true }],
    ['results that are no list', { incremental: { data: {} }, hasNext: true }],
    ['results of nothing', { incremental: [{}], hasNext: true }],
    [
      'more results than a payload may bring',
      { incremental: Array.from({ length: 100_001 }, () => ({ data: {} })), hasNext: true },
    ],
    [
      'more streams than are kept',
      { incremental: Array.from({ length: 20_000 }, (_, at) => ({ items: [1], path: [`l${at}`, 0] })), hasNext: true },
    ],
  ])('%s', async (_, payload) => {
    world.shop.answerInParts();
    const asked = ask(gateway, world.issuer, DEFERRED, { accept: NEWER });
    const written = await world.shop.written();
    written.part(FIRST, payload);
    const parts = await (await asked).end();
    expect(parts.at(-1)).toMatchObject({ completed: [{ id: '0', errors: [CUT] }], hasNext: false });
    await until('the service is cut', () => written.isCut);
  });

  test('in the first payload', async () => {
    const answer = await answered([{ ...FIRST, completed: [] }]);
    expect(JSON.parse(answer.text())).toMatchObject({ errors: [{ extensions: { code: 'remote-schema-error' } }] });
  });
});

describe('is relayed as it is', () => {
  const newer = [PENDING, { completed: [{ id: '0' }, { id: '1' }], hasNext: false }];

  test('v0.2 to a client of v0.2', async () => {
    expect((await answered(newer)).parts()).toEqual(newer);
  });

  test('all of v0.2 in the first payload', async () => {
    const all = {
      data: { product: { id: '1' } },
      pending: [{ id: '0', path: ['product'] }],
      incremental: [{ id: '0', data: { stock: 5 } }],
      completed: [{ id: '0' }],
      hasNext: false,
    };
    expect((await answered([all])).parts()).toEqual([all]);
  });

  test.each([
    'multipart/mixed;incrementalSpec=v0.2, multipart/mixed;deferSpec=20220824',
    'multipart/mixed;incrementalSpec=v0.2, multipart/mixed',
    'multipart/mixed;incrementalSpec=v0.1',
    'multipart/mixed; deferSpec="20220824"',
  ])('the older format to a client that accepts %s', async (accept) => {
    expect((await answered([FIRST, LAST], accept)).parts()).toEqual([FIRST, LAST]);
  });
});

describe('a format that nothing is in', () => {
  test.each([
    'multipart/mixed;incrementalSpec=v9',
    'multipart/mixed;deferSpec=20250101',
    'multipart/mixed;incrementalSpec',
  ])('%s alone is not acceptable', async (accept) => {
    const answer = await ask(gateway, world.issuer, DEFERRED, { accept });
    await answer.end();
    expect([answer.status, JSON.parse(answer.text()).errors[0].extensions.code]).toEqual([406, 'not-acceptable']);
    expect(world.shop.operations()).toHaveLength(0);
  });

  test.each([
    'multipart/mixed;incrementalSpec=v9, application/json',
    'multipart/mixed;incrementalSpec=v9, text/event-stream',
  ])('%s gets a complete response', async (accept) => {
    const answer = await ask(gateway, world.issuer, DEFERRED, { accept });
    await answer.end();
    expect(answer.text()).toContain('{"data":{"product":{"id":"1","reviews":["good"]}}}');
    expect(world.shop.operations()[0]?.headers.accept).toBe('application/json');
  });
});
