import { afterEach, expect, test } from '@jest/globals';
import { OperationTooComplex } from '../../../gateway/planning/joins/index.ts';
import { federate, type Subgraph, type World } from './world.ts';

let world: World | undefined;
afterEach(async () => {
  await world?.close();
  world = undefined;
});

async function open(subgraphs: Record<string, Subgraph>): Promise<World> {
  world = await federate(subgraphs);
  return world;
}

/** The fetches of an operation. */
const plan = async (graph: World['graph'], text: string) => (await graph.prepare(text).plan({})).fetches;

const typesOf = (count: number) => Array.from({ length: count }, (_, at) => `Type${at}`);
const nested = (depth: number): string => (depth === 0 ? '{ id }' : `{ similar ${nested(depth - 1)} }`);
const query = (depth: number) => `{ item ${nested(depth)} }`;

/** An interface's field that one of its types requires something for. */
const requiring = (count: number) =>
  open({
    items: {
      sdl: `type Query { item: Item } interface Item { id: ID! similar: Item }
        ${typesOf(count)
          .map(
            (name, at) => `type ${name} implements Item @key(fields: "id") { id: ID! ${at === 0 ? REQUIRING : PLAIN} }`,
          )
          .join('\n')}`,
    },
    stock: {
      sdl: typesOf(count)
        .map((name) => `type ${name} @key(fields: "id") { id: ID! amount: Int }`)
        .join('\n'),
    },
  });
const PLAIN = 'similar: Item';
const REQUIRING = 'amount: Int @external similar: Item @requires(fields: "amount")';

/** An interface's field that only one of the services has that have the interface. */
const apart = (count: number) => {
  const types = (fields: string) =>
    typesOf(count).map((name) => `type ${name} implements Item @key(fields: "id") { id: ID! ${fields} }`);
  return open({
    items: { sdl: `type Query { item: Item } interface Item { id: ID! } ${types('').join('\n')}` },
    links: { sdl: `interface Item { id: ID! similar: Item } ${types(PLAIN).join('\n')}` },
  });
};

test('of an interface whose types are fetched in different ways, a query that comes to too much is refused', async () => {
  const { graph } = await requiring(4);
  await expect(plan(graph, query(60))).rejects.toThrow(OperationTooComplex);
});

test('of an interface whose types are fetched in one way, sixty levels are planned', async () => {
  const { graph } = await apart(4);
  expect(await plan(graph, query(60))).not.toEqual([]);
});

test.each([3, 4, 5])('four levels of an interface of %i types are planned', async (count) => {
  for (const make of [requiring, apart]) {
    const { graph, close } = await make(count);
    expect(await plan(graph, query(4))).not.toEqual([]);
    await close();
  }
  world = undefined;
});

test('levels of an interface that one service answers are as many as wanted', async () => {
  const { graph } = await open({
    items: {
      sdl: `type Query { item: Item } interface Item { id: ID! similar: Item }
        ${typesOf(8)
          .map((name) => `type ${name} implements Item @key(fields: "id") { id: ID! similar: Item }`)
          .join('\n')}`,
    },
    stock: { sdl: 'type Type0 @key(fields: "id") { id: ID! amount: Int }' },
  });
  expect(await plan(graph, query(30))).not.toEqual([]);
});

test('fragments for each type, one in the other, count once for each type', async () => {
  const { graph } = await requiring(5);
  const fields = Array.from({ length: 40 }, (_, at) => `field${at}: amount`).join(' ');
  const each = typesOf(5).map((name) => `... on ${name} { ${fields} }`);
  expect(await plan(graph, `{ item { ... on Item { ${each.join(' ')} } } }`)).not.toEqual([]);
});

test('one object may be selected hundreds of times', async () => {
  const { graph } = await requiring(3);
  const fields = Array.from({ length: 300 }, (_, at) => `item${at}: item { id }`);
  expect(await plan(graph, `{ ${fields.join(' ')} }`)).not.toEqual([]);
});
