import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { GraphQLError, parse, validate } from 'graphql';
import { eventsRequest } from './open-federated-graph.ts';
import { federate, type World } from './world.ts';

let shop: World;

const parts = (count: number) => Array.from({ length: count }, (_, at) => ({ id: `${count}${at}` }));

beforeAll(async () => {
  const references = { __resolveReference: (key: object) => key };
  shop = await federate({
    goods: {
      sdl: `type Query { offers: [Thing] nested: Holder } type Subscription { offered: Thing }
        union Thing = Bolt | Nut | Washer
        interface Offer { parts: [Part] box: Box }
        type Bolt implements Offer @key(fields: "id") { id: ID! parts: [Part!]! box: Box }
        type Nut implements Offer @key(fields: "id") { id: ID! parts: [Part] box: Box! }
        type Washer implements Offer @key(fields: "id") { id: ID! parts: [Part!]! box: Box! }
        type Part @key(fields: "id") { id: ID! made: String }
        interface Box { lid: Part }
        type Crate implements Box { lid: Part! }
        type Bag implements Box { lid: Part }
        type Holder @key(fields: "id") { id: ID! offer: Offer }`,
      resolvers: {
        Query: {
          offers: () => [
            { __typename: 'Bolt', id: 'b', parts: parts(2), box: { __typename: 'Crate', lid: { id: 'c' } } },
            { __typename: 'Nut', id: 'n', parts: [null, { id: 'broken' }], box: { __typename: 'Bag', lid: null } },
            { __typename: 'Washer', id: 'w', parts: parts(1), box: { __typename: 'Bag', lid: { id: 'd' } } },
          ],
          nested: () => ({ id: 'h', offer: { __typename: 'Bolt', id: 'b', parts: parts(1), box: null } }),
        },
        Part: {
          made: ({ id }: { id: string }) => (id === 'broken' ? new GraphQLError('no date') : `made ${id}`),
        },
      },
    },
    prices: {
      sdl: `type Bolt @key(fields: "id") { id: ID! price: Int }
        type Nut @key(fields: "id") { id: ID! price: Int }
        type Washer @key(fields: "id") { id: ID! price: Int }
        type Part @key(fields: "id") { id: ID! weight: Int }`,
      resolvers: {
        Bolt: { ...references, price: () => 1 },
        Nut: { ...references, price: () => 2 },
        Washer: { ...references, price: () => 3 },
        Part: { ...references, weight: ({ id }: { id: string }) => id.length },
      },
    },
  });
});
afterAll(() => shop.close());

const PRICES = '... on Bolt { price } ... on Nut { price } ... on Washer { price }';

test('a field of an interface is non-null on some of its types, which are selected one by one', async () => {
  const answer = await shop.ask(
    `{ offers { ${PRICES} ... on Offer { parts { id weight made } box { __typename lid { weight } } } } }`,
  );
  expect(answer).toEqual({
    data: {
      offers: [
        {
          price: 1,
          parts: [
            { id: '20', weight: 2, made: 'made 20' },
            { id: '21', weight: 2, made: 'made 21' },
          ],
          box: { __typename: 'Crate', lid: { weight: 1 } },
        },
        { price: 2, parts: [null, { id: 'broken', weight: 6, made: null }], box: { __typename: 'Bag', lid: null } },
        {
          price: 3,
          parts: [{ id: '10', weight: 2, made: 'made 10' }],
          box: { __typename: 'Bag', lid: { weight: 1 } },
        },
      ],
    },
    errors: [expect.objectContaining({ message: 'no date', path: ['offers', 1, 'parts', 1, 'made'] })],
  });
});

test('the same below a field of an object, and beside a selection of the type itself', async () => {
  expect(
    await shop.ask(
      `{ nested { offer { ${PRICES} parts { id } ... on Bolt { parts { weight } } box { lid { id } } } } }`,
    ),
  ).toEqual({
    data: { nested: { offer: { price: 1, parts: [{ id: '10', weight: 2 }], box: null } } },
  });
});

test('the same in the events of a subscription', async () => {
  const offered = 'subscription { offered { ... on Offer { parts { weight } } } }';
  const planned = await shop.graph.prepareSubscription(offered).plan({});
  const schema = shop.schemas.get('goods');
  expect(schema && validate(schema, parse(eventsRequest(planned, {}).query))).toEqual([]);
});
