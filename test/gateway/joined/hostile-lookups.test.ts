import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { keeper, openGateway, openIssuer, reply } from '../harness/index.ts';
import { type Resolvers, stitched } from './services.ts';

const { keep, close } = keeper();
afterAll(close);
const issuer = await keep(openIssuer());
const token = issuer.token();

const IDS = ['i1', 'i2', '__proto__'];
const shop = await stitched('shop', 'type Query { items: [Item!]! } type Item { id: ID! }', {
  Query: { items: () => IDS.map((id) => ({ id })) },
});
const many = await stitched(
  'many',
  `type Query { _items(ids: [ID!]!): [Item] @merge(keyField: "id") } type Item { id: ID! price: Int }`,
  {
    Query: { _items: (_: unknown, { ids }: { ids: string[] }) => ids.map((id) => ({ id, price: id.length })) },
  } as Resolvers,
);
const one = await stitched(
  'one',
  'type Query { _item(id: ID!): Item @merge(keyField: "id") } type Item { id: ID! size: Int }',
  { Query: { _item: (_: unknown, { id }: { id: string }) => ({ id, size: id.length }) } } as Resolvers,
);
for (const { upstream } of [shop, many, one]) await keep(upstream);
const metadata = { 'remote_schemas.yaml': [shop, many, one].map(({ entry }) => entry) };
const gateway = await keep(openGateway({ issuer, metadata }));
afterEach(() => {
  many.upstream.instead = undefined;
  one.upstream.instead = undefined;
});

/** What clients get of a field of the items, and each error as `message at path`, where the service answers with this. */
async function answered(remote: typeof many, field: 'price' | 'size', answer: unknown) {
  remote.upstream.instead = (_received, response) => reply(response, 200, answer);
  const { body } = await gateway.graphql(`{ items { ${field} } }`, { token });
  const items = body.data?.items as readonly Record<string, unknown>[];
  const errors = (body.errors ?? []).map(({ message, path }) => `${message} at ${path?.join('.') ?? 'no path'}`);
  return { values: items.map((item) => item[field]), errors };
}
const fromMany = (answer: unknown) => answered(many, 'price', answer);
const fromOne = (answer: unknown) => answered(one, 'size', answer);
const NULLS = [null, null, null];
const unfit = (service: string, ...places: number[]) =>
  places.map(
    (place) => `the service "${service}" did not return one object for each that it was asked for at items.${place}`,
  );
const at = (message: string, ...places: string[]) => places.map((place) => `${message} at ${place}`);
const EACH = ['items.0', 'items.1', 'items.2'];

test('keys are values, whatever they are called', async () => {
  const { body } = await gateway.graphql('{ items { id price size } }', { token });
  expect(body).toEqual({ data: { items: IDS.map((id) => ({ id, price: id.length, size: id.length })) } });
});

describe('a list of objects', () => {
  test.each([
    ['shorter than asked for', [{ price: 1 }, { price: 2 }]],
    ['longer than asked for', [{ price: 1 }, { price: 2 }, { price: 3 }, { price: 4 }]],
    ['that is an object', { price: 1 }],
    ['that is a text', 'x'],
  ])('%s is nobody’s', async (_, list) => {
    expect(await fromMany({ data: { _r0: list } })).toEqual({ values: NULLS, errors: unfit('many', 0, 1, 2) });
  });

  test('may hold nulls, or be null, for objects that the service does not have', async () => {
    expect(await fromMany({ data: { _r0: [null, { price: 2 }, null] } })).toEqual({
      values: [null, 2, null],
      errors: [],
    });
    expect(await fromMany({ data: { _r0: null } })).toEqual({ values: NULLS, errors: [] });
  });

  test('has an error for each item that is no object', async () => {
    const { values, errors } = await fromMany({ data: { _r0: [{ price: 1 }, 5, [{ price: 1 }]] } });
    expect(values).toEqual([1, null, null]);
    expect(errors).toEqual(unfit('many', 1, 2));
  });
});

describe('single objects', () => {
  test('that are none have an error each', async () => {
    const { values, errors } = await fromOne({ data: { _r0_0: [{ size: 1 }], _r0_1: 4, _r0_2: { size: 3 } } });
    expect(values).toEqual([null, null, 3]);
    expect(errors).toEqual(unfit('one', 0, 1));
  });
});

describe('an error that the service made up a path for', () => {
  const failed = (path: readonly unknown[]) => ({ message: 'strange', path });

  test.each([
    ['an item that was not asked for', ['_r0', 99]],
    ['a field of such an item', ['_r0', 99, 'price']],
    ['another root field', ['other']],
    ['an index', [0, 'x']],
  ])('is reported at each object that has nothing: %s', async (_, path) => {
    expect(await fromMany({ data: { _r0: null }, errors: [failed(path)] })).toEqual({
      values: NULLS,
      errors: at('strange', ...EACH),
    });
    expect(await fromMany({ data: { _r0: [{ price: 1 }, null, { price: 3 }] }, errors: [failed(path)] })).toEqual({
      values: [1, null, 3],
      errors: at('strange', 'items.1'),
    });
  });

  test('has no path where the service has returned all objects', async () => {
    const data = { _r0: [{ price: 1 }, { price: null }, { price: 3 }] };
    expect(await fromMany({ data, errors: [failed(['_r0', 99])] })).toEqual({
      values: [1, null, 3],
      errors: ['strange at no path'],
    });
  });

  test('does not hide one with a right path', async () => {
    const errors = [{ message: 'right', path: ['_r0_1'] }, failed(['_r0_77'])];
    expect(await fromOne({ data: { _r0_0: { size: 1 }, _r0_1: null, _r0_2: null }, errors })).toEqual({
      values: [1, null, null],
      errors: ['right at items.1', 'strange at items.2'],
    });
  });
});

test('no data and an empty list of errors is an error', async () => {
  const { values, errors } = await fromMany({ data: null, errors: [] });
  expect(values).toEqual(NULLS);
  expect(errors).toEqual(at('Empty "errors" field in response from remote', ...EACH));
});

test('of many errors for many objects, as many as usual are reported', async () => {
  const errors = Array.from({ length: 5_000 }, (_, index) => ({ message: `e${index}` }));
  const { errors: reported } = await fromMany({ data: null, errors });
  expect(reported).toHaveLength(1_001);
});
