import { stitchingDirectives } from '@graphql-tools/stitching-directives';
import { afterAll, expect, test } from '@jest/globals';
import { apolloSubgraph, linked } from '../composition/subgraphs.ts';
import { graphqlUpstream, keeper, openGateway, openIssuer } from '../harness/index.ts';

const { keep, close } = keeper();
afterAll(close);
const issuer = await keep(openIssuer());
const token = issuer.token();
const { allStitchingDirectivesTypeDefs } = stitchingDirectives();

type Resolvers = Parameters<typeof graphqlUpstream>[1];

async function stitched(name: string, sdl: string, resolvers: Resolvers) {
  const text = `${allStitchingDirectivesTypeDefs} ${sdl}`;
  const whole = { ...resolvers, Query: { ...(resolvers as { Query?: object }).Query, _sdl: () => text } };
  const { graphqlUrl: url } = await keep(graphqlUpstream(text, whole as Resolvers));
  return { name, definition: { url, composition: 'stitching' } };
}

async function plain(name: string, sdl: string, resolvers: Resolvers) {
  const { graphqlUrl: url } = await keep(graphqlUpstream(sdl, resolvers));
  return { name, definition: { url } };
}

async function federated(name: string, sdl: string, resolvers: Parameters<typeof apolloSubgraph>[1]) {
  const { graphqlUrl: url } = await keep(apolloSubgraph(linked(sdl), resolvers));
  return { name, definition: { url, composition: 'federation' } };
}

async function expectRight(
  remotes: readonly object[],
  text: string,
  expected: object,
  environment: Record<string, string> = {},
): Promise<void> {
  const metadata = { 'remote_schemas.yaml': remotes };
  const gateway = await keep(openGateway({ issuer, metadata, environment }));
  const { body } = await gateway.graphql(text, { token });
  expect(body).toEqual(expected);
}

const PARTS = [
  { id: 'p1', code: 'c1', name: 'bolt', weight: 3 },
  { id: 'p2', code: 'c2', name: 'nut', weight: 1 },
];
const partsBy = (key: 'id' | 'code') => (_: unknown, args: Readonly<Record<string, readonly string[]>>) =>
  (args[`${key}s`] ?? []).map((value) => PARTS.find((part) => part[key] === value) ?? null);

test.each(['id', 'code'] as const)('a stitched service with two keys is entered by %s', async (key) => {
  const remotes = [
    await stitched('shop', `type Query { parts: [Part!]! _sdl: String! } type Part { ${key}: ID! name: String }`, {
      Query: { parts: () => PARTS },
    }),
    await stitched(
      'scale',
      `type Query { _byId(ids: [ID!]!): [Part] @merge(keyField: "id") _byCode(codes: [ID!]!): [Part] @merge(keyField: "code")
        _sdl: String! } type Part { id: ID! code: ID! weight: Int }`,
      { Query: { _byId: partsBy('id'), _byCode: partsBy('code') } },
    ),
  ];
  await expectRight(remotes, '{ parts { name weight } }', {
    data: {
      parts: [
        { name: 'bolt', weight: 3 },
        { name: 'nut', weight: 1 },
      ],
    },
  });
});

const FURNITURE = `interface Thing { id: ID! } union Few = Chair | Table
  type Chair implements Thing { id: ID! legs: Int } type Table implements Thing { id: ID! width: Int }`;
const chair = { __typename: 'Chair', id: 't1', legs: 4 };
const things = {
  Query: { thing: () => chair },
  Thing: { __resolveType: ({ __typename }: { __typename: string }) => __typename },
};
const FEW = '{ thing { id ... on Few { ... on Chair { legs } } } }';

test.each(['stitched', 'plain'] as const)(
  'a type that no field of a %s service returns is a type condition',
  async (way) => {
    const other = 'type Query { count: Int _sdl: String! } type Other { id: ID! }';
    const remotes =
      way === 'plain'
        ? [await plain('house', `type Query { thing: Thing } ${FURNITURE}`, things)]
        : [
            await stitched('house', `type Query { thing: Thing _sdl: String! } ${FURNITURE}`, things),
            await stitched('other', other, { Query: { count: () => 1 } }),
          ];
    await expectRight(remotes, FEW, { data: { thing: { id: 't1', legs: 4 } } });
  },
);

const withPart = { part: () => PARTS[0] };
const OWN_ROOTS = 'schema { query: Root } type Root { part: Part } type Part { id: ID! name: String }';
const WAYS = {
  plain: async () => [await plain('shop', OWN_ROOTS, { Root: withPart })],
  stitched: async () => [
    await stitched('shop', 'type Query { part: Part _sdl: String! } type Part { id: ID! name: String }', {
      Query: withPart,
    }),
    await stitched(
      'scale',
      `type Query { _parts(ids: [ID!]!): [Part] @merge(keyField: "id") _sdl: String! } type Part { id: ID! weight: Int }`,
      { Query: { _parts: partsBy('id') } },
    ),
  ],
  federated: async () => [
    await federated('shop', 'type Query { part: Part } type Part @key(fields: "id") { id: ID! name: String }', {
      Query: withPart,
    }),
  ],
};

test.each(Object.entries(WAYS))('with other root type names, a field of a %s service is skipped', async (_, open) => {
  const count = await plain('other', 'type Query { count: Int }', { Query: { count: () => 1 } });
  const remotes = [...(await open()), count];
  const environment = { PORTICO_ROOT_TYPE_NAMES: 'hasura' };
  await expectRight(remotes, '{ count part @skip(if: true) { name } }', { data: { count: 1 } }, environment);
  await expectRight(remotes, '{ part @skip(if: true) { name } }', { data: {} }, environment);
});
