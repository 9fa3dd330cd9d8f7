import { expect, test } from '@jest/globals';
import { composeServices, compositionHasErrors } from '@theguild/federation-composition';
import { parse } from 'graphql';
import { FederatedGraph, type Send, subgraphServices } from '../../../gateway/planning/joins/index.ts';
import { buildPublicSchema, readSupergraphTypes } from '../../../gateway/planning/supergraph/index.ts';

const SDL = {
  shop: 'type Query { items: [Item!]! } type Item @key(fields: "id") { id: ID! weight: Int }',
  prices: `type Item @key(fields: "id") { id: ID! weight: Int @external price: Int
    postage: Int @requires(fields: "weight") }`,
  stock: 'type Item @key(fields: "id") { id: ID! price: Int @external left: Int @requires(fields: "price") }',
};
const LINK =
  'extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@requires", "@external"])\n';

/** Runs an operation in three waves whose client leaves after so many calls. */
async function run(callsBeforeItLeaves: number) {
  const composed = composeServices(
    Object.entries(SDL).map(([name, typeDefs]) => ({ name, typeDefs: parse(LINK + typeDefs), url: '' })),
  );
  if (compositionHasErrors(composed)) throw new TypeError(composed.errors.join());
  const document = parse(composed.supergraphSdl, { noLocation: true });
  const client = { isGone: false };
  const called: string[] = [];
  const send: Send<typeof client> = (subgraph, _body, context, _call, done) => {
    called.push(subgraph);
    context.isGone = called.length >= callsBeforeItLeaves;
    const entities = [{ __typename: 'Item', price: 1, postage: 2, left: 3 }];
    const data =
      subgraph === 'shop' ? { items: [{ __typename: 'Item', id: '1', weight: 4 }] } : { _entities: entities };
    setImmediate(() => done(JSON.stringify({ data })));
  };
  const graph = new FederatedGraph<typeof client>({
    types: readSupergraphTypes(document),
    publicSchema: buildPublicSchema(document),
    services: { ...subgraphServices(send), isUnneeded: ({ isGone }) => isGone },
  });
  const { data } = await graph.prepare('{ items { id price postage left } }').run({}, client);
  return { called, data };
}

test('an operation whose client stays is fetched and written', async () => {
  const { called, data } = await run(Number.POSITIVE_INFINITY);
  expect(called).toEqual(['shop', 'prices', 'stock']);
  expect(JSON.parse(data.join(''))).toEqual({ items: [{ id: '1', price: 1, postage: 2, left: 3 }] });
});

test.each([1, 2])('nothing is fetched or written for a client that leaves during call %i', async (calls) => {
  const { called, data } = await run(calls);
  expect(called).toHaveLength(calls);
  expect(data).toEqual(['null']);
});

test('nothing is written for a client that leaves during the last call', async () => {
  const { called, data } = await run(3);
  expect(called).toHaveLength(3);
  expect(data).toEqual(['null']);
});
