import { afterAll, describe, expect, test } from '@jest/globals';
import { OperationTooComplex } from '../../../gateway/planning/joins/index.ts';
import { keeper } from '../harness/index.ts';
import { federate } from './world.ts';

const { keep, close } = keeper();
afterAll(close);

type Key = { readonly id: string };
const byReference = (key: Key) => key;

test('a mutation that two services share is executed by one of them, once', async () => {
  let made = 0;
  const make = () => ({ id: `${++made}` });
  const world = await keep(
    federate({
      a: {
        sdl: `type Query { items: [Item] @shareable } type Mutation { make: Item @shareable }
          type Item @key(fields: "id") { id: ID! a: String }`,
        resolvers: {
          Mutation: { make },
          Item: { __resolveReference: byReference, a: ({ id }: Key) => `a of ${id}` },
        },
      },
      b: {
        sdl: `type Query { items: [Item] @shareable } type Mutation { make: Item @shareable }
          type Item @key(fields: "id") { id: ID! b: String }`,
        resolvers: {
          Mutation: { make },
          Item: { __resolveReference: byReference, b: ({ id }: Key) => `b of ${id}` },
        },
      },
    }),
  );
  expect(await world.ask('mutation { make { id a b } }')).toEqual({
    data: { make: { id: '1', a: 'a of 1', b: 'b of 1' } },
  });
  expect(made).toBe(1);
});

describe('response keys that are not safe in the data', () => {
  test.each([
    ['{ item { constructor: price(a: 1) _constructor: price(a: 2) } }', { constructor: 1, _constructor: 2 }],
    ['{ item { _x_of_y: z _x: y_of_z } }', { _x_of_y: 'z', _x: 'y' }],
    ['{ item { as0_price: z _price: price(a: 3) } }', { as0_price: 'z', _price: 3 }],
  ])('stay apart: %s', async (query, item) => {
    const world = await keep(
      federate({
        a: {
          sdl: 'type Query { item: Item } type Item { price(a: Int): Int y_of_z: String z: String }',
          resolvers: {
            Query: { item: () => ({ y_of_z: 'y', z: 'z' }) },
            Item: { price: (_: unknown, { a }: { a: number }) => a },
          },
        },
      }),
    );
    expect(await world.ask(query)).toEqual({ data: { item } });
  });
});

test('a field of a type that clients do not see may be required', async () => {
  const world = await keep(
    federate({
      a: {
        sdl: `type Query { item: Item } type Item @key(fields: "id") { id: ID! secret: Secret @inaccessible }
          type Secret @inaccessible { x: Int @shareable }`,
        resolvers: {
          Query: { item: () => ({ id: '1' }) },
          Item: { __resolveReference: byReference, secret: () => ({ x: 3 }) },
        },
      },
      b: {
        sdl: `type Item @key(fields: "id") { id: ID! secret: Secret @external y: Int @requires(fields: "secret { x }") }
          type Secret @inaccessible { x: Int @shareable }`,
        resolvers: {
          Item: {
            __resolveReference: (key: object) => key,
            y: ({ secret }: { secret?: { x: number } }) => (secret ? secret.x * 2 : null),
          },
        },
      },
    }),
  );
  expect(await world.ask('{ item { y } }')).toEqual({ data: { item: { y: 6 } } });
});

test('a fragment that repeats a field of an interface object needs no type', async () => {
  const world = await keep(
    federate({
      a: {
        sdl: `interface User @key(fields: "id") { id: ID! } type Admin implements User @key(fields: "id") { id: ID! }
          type Guest implements User @key(fields: "id") { id: ID! }`,
      },
      b: {
        sdl: 'type Query { users: [User] } type User @key(fields: "id") @interfaceObject { id: ID! name: String }',
        resolvers: { Query: { users: () => [{ id: '1', name: 'Jo' }] } },
      },
    }),
  );
  expect(await world.ask('{ users { id name ... on Admin { id } } }')).toEqual({
    data: { users: [{ id: '1', name: 'Jo' }] },
  });
  expect(world.counts()).toEqual({ b: 1 });
});

test('an operation that is nested hundreds of levels deep is refused before anything is fetched', async () => {
  const world = await keep(
    federate({
      a: { sdl: 'type Query { node: Node } type Node @key(fields: "id") { id: ID! x: Int }' },
      b: { sdl: 'type Node @key(fields: "id") { id: ID! next: Node }' },
    }),
  );
  const nested = (levels: number) => `{ node ${'{ next '.repeat(levels)} { x } ${'}'.repeat(levels)} }`;
  await world.graph.prepare(nested(20)).plan({});
  // The parser itself needs more of the stack with each level, and gives up at some thousand.
  const plan = async (levels: number) => world.graph.prepare(nested(levels)).plan({});
  for (const levels of [120, 250, 600]) await expect(plan(levels)).rejects.toThrow(OperationTooComplex);
  expect(world.calls).toEqual([]);
});

test('many services that share a type do not make it hard to plan', async () => {
  const names = Array.from({ length: 30 }, (_, at) => `s${at}`);
  const world = await keep(
    federate(
      Object.fromEntries(
        names.map((name, at) => [
          name,
          {
            sdl: `${at === 0 ? 'type Query { entry: Shared }' : ''}
              type Shared @key(fields: "id") { id: ID! f${at}: Int n${at}: Shared }`,
          },
        ]),
      ),
    ),
  );
  const nested = (level: number): string =>
    level > 10 ? '{ f0 }' : `{ f${level + 1} n${level * 2} ${nested(level + 1)} }`;
  const planned = await world.graph.prepare(`{ entry ${nested(0)} }`).plan({});
  expect(planned.fetches.length).toBeGreaterThan(1);
});
