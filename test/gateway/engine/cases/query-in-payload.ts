import type { DataObject } from '../strict-services.ts';
import type { Case } from './case.ts';

const goods = [1, 2].map((at) => ({ __typename: 'Good', id: `g${at}`, name: `good ${at}`, amount: at * 10 }));
const query: DataObject = { __typename: 'Query', goods, stored: 30 };

const SHOP = `type Query { goods: [Good!]! } type Mutation { order(count: Int!): Placed }
  type Placed { count: Int } type Good @key(fields: "id") { id: ID! name: String }`;
const STOCK = 'type Query { stored: Int } type Good @key(fields: "id") { id: ID! amount: Int }';
const withQuery = (sdl: string) => sdl.replace(/(type Placed[^{]*\{\s*count: Int)/, '$1 query: Query');

/** A mutation returns the whole graph beside its result, of which its service has a part. */
export const queryInPayload: Case = {
  name: 'Query in the payload of a mutation',
  subgraphs: { shop: withQuery(SHOP), stock: STOCK },
  edited: { subgraphs: { shop: SHOP, stock: STOCK }, edit: withQuery },
  roots: {
    Query: query,
    Mutation: { order: ({ count }: { count: number }) => ({ __typename: 'Placed', count, query }) },
  },
  entities: goods,
  operations: [
    {
      text: 'mutation { order(count: 2) { count query { goods { name } } } }',
      expected: { data: { order: { count: 2, query: { goods: [{ name: 'good 1' }, { name: 'good 2' }] } } } },
    },
    {
      text: 'mutation { order(count: 2) { query { goods { name amount } } } }',
      expected: {
        data: {
          order: {
            query: {
              goods: [
                { name: 'good 1', amount: 10 },
                { name: 'good 2', amount: 20 },
              ],
            },
          },
        },
      },
    },
    {
      text: 'mutation { order(count: 2) { count query { stored __typename goods { id } } } }',
      expected: {
        data: { order: { count: 2, query: { stored: 30, __typename: 'Query', goods: [{ id: 'g1' }, { id: 'g2' }] } } },
      },
    },
    {
      text: '{ stored goods { amount } }',
      expected: { data: { stored: 30, goods: [{ amount: 10 }, { amount: 20 }] } },
    },
  ],
};
