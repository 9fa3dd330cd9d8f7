import { afterAll, expect, test } from '@jest/globals';
import { keeper } from '../harness/index.ts';
import { federate } from './world.ts';

const { keep, close } = keeper();
afterAll(close);

type Reference = Readonly<Record<string, unknown>>;
const byReference = (key: Reference) => key;

test('a representation has the type of a required object where that is required too', async () => {
  const sent: Reference[] = [];
  const world = await keep(
    federate({
      a: {
        sdl: `type Query { item: Item } type Item @key(fields: "id") { id: ID! size: Size } type Size @shareable { width: Int }`,
        resolvers: { Query: { item: () => ({ id: '1', size: { width: 2 } }) } },
      },
      b: {
        sdl: `type Item @key(fields: "id") { id: ID! size: Size @external label: String @requires(fields: "size { __typename width }") }
          type Size @shareable { width: Int }`,
        resolvers: {
          Item: {
            __resolveReference: (key: Reference) => {
              sent.push(key);
              return key;
            },
            label: ({ size }: { size: { width: number } }) => `${size.width} wide`,
          },
        },
      },
    }),
  );
  expect(await world.ask('{ item { label } }')).toEqual({ data: { item: { label: '2 wide' } } });
  expect(sent).toEqual([{ __typename: 'Item', id: '1', size: { __typename: 'Size', width: 2 } }]);
});

test('an outage is reported for a root field of which another service has a part', async () => {
  const world = await keep(
    federate({
      a: {
        sdl: 'type Query { me: Person @shareable } type Person @key(fields: "id", resolvable: false) { id: ID! name: String }',
        resolvers: { Query: { me: () => ({ id: '1', name: 'Jo' }) } },
      },
      b: {
        sdl: `type Query { me: Person @shareable other: Int }
          type Person @key(fields: "id") { id: ID! age: Int }`,
        resolvers: {
          Query: { me: () => ({ id: '1', age: 7 }), other: () => 1 },
          Person: { __resolveReference: byReference, age: () => 7 },
        },
      },
    }),
  );
  expect(await world.ask('{ me { name age } other }')).toEqual({ data: { me: { name: 'Jo', age: 7 }, other: 1 } });
  world.down.add('b');
  const { data, errors = [] } = await world.ask('{ me { name age } other }');
  expect(data).toEqual({ me: { name: 'Jo', age: null }, other: null });
  expect(errors.map(({ path }) => path?.[0])).toEqual(expect.arrayContaining(['me', 'other']));
});
