import { afterAll, describe, expect, test } from '@jest/globals';
import { apolloSubgraph, linked } from '../composition/subgraphs.ts';
import { federated } from '../composition/world.ts';
import { openEditedGateway } from '../harness/edited-gateway.ts';
import { keeper, openIssuer } from '../harness/index.ts';
import { federate } from './world.ts';

const { keep, close } = keeper();
afterAll(close);

type Parcel = { readonly id?: string; readonly code?: string; readonly weight?: number };
const idOf = ({ id, code }: Parcel) => id ?? `p${code?.slice(1)}`;

/** Where parcels come from; it knows them by their ids. */
const depot = {
  sdl: `type Query { parcel: Parcel parcels: [Parcel!]! }
    type Parcel @key(fields: "id") { id: ID! weight: Int }`,
  resolvers: {
    Query: { parcel: () => ({ id: 'p1' }), parcels: () => [{ id: 'p1' }, { id: 'p2' }] },
    Parcel: {
      __resolveReference: ({ id }: Parcel) => ({ id }),
      weight: ({ id = '' }: Parcel) => Number(id.slice(1)) * 100,
    },
  },
};

/** What sending them costs; it knows them by codes too, and by numbers within objects. */
const post = {
  sdl: `type Query { posted: Parcel }
    type Parcel @key(fields: "id") @key(fields: "code") @key(fields: "label { number }") {
      id: ID! code: String! label: Label! weight: Int @external cost: Int @requires(fields: "weight") }
    type Label { number: Int! }`,
  resolvers: {
    Query: { posted: () => ({ id: 'p3' }) },
    Parcel: {
      __resolveReference: (parcel: Parcel) => ({ ...parcel, id: idOf(parcel) }),
      code: ({ id = '' }: Parcel) => `c${id.slice(1)}`,
      label: ({ id = '' }: Parcel) => ({ number: Number(id.slice(1)) }),
      cost: ({ weight }: Parcel) => (weight === undefined ? null : weight * 2),
    },
  },
};

/** It knows them by codes only, so that no key of the post is one of both others. */
const shops = {
  sdl: `type Query { bought: [Parcel] } type Parcel @key(fields: "code") { code: String! shop: String }`,
  resolvers: {
    Query: { bought: () => [{ code: 'c4' }, null, { code: 'c5' }] },
    Parcel: {
      __resolveReference: ({ code }: Parcel) => ({ code }),
      shop: ({ code }: Parcel) => `shop of ${code}`,
    },
  },
};

describe('a field requires something of a subgraph, in one that has more keys than that', () => {
  test.each<[string, object, object]>([
    ['{ parcel { cost } }', { parcel: { cost: 200 } }, { depot: 1, post: 1 }],
    [
      '{ parcels { cost id code } }',
      {
        parcels: [
          { cost: 200, id: 'p1', code: 'c1' },
          { cost: 400, id: 'p2', code: 'c2' },
        ],
      },
      { depot: 1, post: 1 },
    ],
    [
      '{ posted { cost weight label { number } } }',
      { posted: { cost: 600, weight: 300, label: { number: 3 } } },
      { depot: 1, post: 2 },
    ],
  ])('and %s takes no more calls than with a single key', async (query, data, counts) => {
    const world = await keep(federate({ depot, post }));
    expect(await world.ask(query)).toEqual({ data });
    expect(world.counts()).toEqual(counts);
  });

  test('and is fetched where other subgraphs have another of its keys', async () => {
    const subgraphs = { depot, post, shops };
    const remotes = [];
    for (const [name, { sdl, resolvers }] of Object.entries(subgraphs))
      remotes.push(federated(name, await keep(apolloSubgraph(linked(sdl), resolvers))));
    const issuer = await keep(openIssuer());
    const gateway = await keep(openEditedGateway({ 'remote_schemas.yaml': remotes }, { issuer }));
    const ask = async (query: string) => (await gateway.graphql(query, { token: issuer.token() })).body;
    expect(await ask('{ parcel { cost shop } parcels { cost } }')).toEqual({
      data: { parcel: { cost: 200, shop: 'shop of c1' }, parcels: [{ cost: 200 }, { cost: 400 }] },
    });
    expect(await ask('{ bought { cost shop } }')).toEqual({
      data: { bought: [{ cost: 800, shop: 'shop of c4' }, null, { cost: 1000, shop: 'shop of c5' }] },
    });
  });
});

test('a field is fetched of objects that are known by another key than what it requires', async () => {
  const world = await keep(federate({ depot, post, shops }));
  expect(await world.ask('{ bought { cost } }')).toEqual({ data: { bought: [{ cost: 800 }, null, { cost: 1000 }] } });
  expect(world.counts()).toEqual({ shops: 1, post: 2, depot: 1 });
});

test('a required field may require another one of a third subgraph', async () => {
  const keys = '@key(fields: "code") @key(fields: "id") @key(fields: "label { number }")';
  const numbered = (parcel: Parcel) => ({ ...parcel, code: 'c1', id: 'p1', label: { number: 1 } });
  const world = await keep(
    federate({
      hub: {
        sdl: `type Query { parcel: Parcel }
          type Parcel ${keys} { code: String! id: ID! label: Label! } type Label @shareable { number: Int! }`,
        resolvers: { Parcel: { __resolveReference: numbered } },
      },
      post: {
        sdl: `type Query { posted: Parcel } type Label @shareable { number: Int! }
          type Parcel @key(fields: "code") @key(fields: "label { number }") {
            code: String! label: Label! weight: Int @external cost: Int @requires(fields: "weight") }`,
        resolvers: {
          Query: { posted: () => numbered({}) },
          Parcel: { __resolveReference: numbered, cost: ({ weight = 0 }: Parcel) => weight * 2 },
        },
      },
      scales: {
        sdl: 'type Parcel @key(fields: "id") { id: ID! weight: Int }',
        resolvers: { Parcel: { __resolveReference: (parcel: Parcel) => parcel, weight: () => 100 } },
      },
      bills: {
        sdl: `type Parcel @key(fields: "code") { code: String! weight: Int @external cost: Int @external
          total: Int @requires(fields: "weight cost") }`,
        resolvers: {
          Parcel: {
            __resolveReference: (parcel: Parcel) => parcel,
            total: ({ weight = 0, cost = 0 }: Parcel & { cost?: number }) => weight + cost,
          },
        },
      },
    }),
  );
  expect(await world.ask('{ posted { cost } }')).toEqual({ data: { posted: { cost: 200 } } });
  expect(await world.ask('{ posted { total } }')).toEqual({ data: { posted: { total: 300 } } });
});
