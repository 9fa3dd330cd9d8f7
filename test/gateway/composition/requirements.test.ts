import { afterAll, expect, test } from '@jest/globals';
import { composeSubgraphs } from '../../../gateway/planning/composition/index.ts';
import { openEditedGateway } from '../harness/edited-gateway.ts';
import { keeper, openIssuer } from '../harness/index.ts';
import { apolloSubgraph } from './subgraphs.ts';
import { federated } from './world.ts';

const { keep, close } = keeper();
afterAll(close);

const LINK =
  'extend schema @link(url: "https://specs.apollo.dev/federation/v2.5", import: ["@key", "@shareable", "@external", "@requires"])\n';
const SHAPES = `
  interface Shape { name: String! }
  interface Round implements Shape { name: String! radius: Int! }
  type Circle implements Shape & Round @shareable { name: String! radius: Int! }
  type Ring implements Shape & Round @shareable { name: String! radius: Int! inner: Int! }
  type Square implements Shape @shareable { name: String! side: Int! }`;
const drawn = `${LINK} type Query { drawings: [Drawing] } type Drawing @key(fields: "id") { id: ID! shape: Shape } ${SHAPES}`;
const priced = (requires: string) => `${LINK} type Drawing @key(fields: "id") { id: ID! shape: Shape @external
  price: String @requires(fields: """${requires}""") } ${SHAPES}`;

const DRAWINGS = [
  { id: '1', shape: { __typename: 'Circle', name: 'c', radius: 1 } },
  { id: '2', shape: { __typename: 'Ring', name: 'r', radius: 2, inner: 1 } },
  { id: '3', shape: { __typename: 'Square', name: 's', side: 3 } },
];
const typed = { __resolveType: ({ __typename }: { __typename: string }) => __typename };

test.each([
  ['shape { name ... on Round { radius ... on Ring { inner } } ... on Square { side } }', ['c1', 'r21', 's3']],
  ['shape { ... on Shape { name } ... on Round { ... on Shape { name } radius } }', ['c1', 'r2', 's']],
  ['shape { name ... on Ring { ... on Round { radius } } }', ['c', 'r2', 's']],
])('a field may require %s', async (requires, prices) => {
  const issuer = await keep(openIssuer());
  const drawings = await keep(
    apolloSubgraph(drawn, { Query: { drawings: () => DRAWINGS }, Shape: typed, Round: typed }),
  );
  type Sent = { shape: Record<string, unknown> };
  const price = ({ shape }: Sent) => [shape.name, shape.radius, shape.inner, shape.side].join('');
  const shop = await keep(
    apolloSubgraph(priced(requires), {
      Drawing: { __resolveReference: (sent: object) => sent, price },
      Shape: typed,
      Round: typed,
    }),
  );
  const gateway = await keep(
    openEditedGateway(
      { 'remote_schemas.yaml': [federated('drawings', drawings), federated('shop', shop)] },
      { issuer },
    ),
  );
  const { body } = await gateway.graphql('{ drawings { price } }', { token: issuer.token() });
  expect(body).toEqual({ data: { drawings: prices.map((one) => ({ price: one })) } });
});

test('a @requires field that no subgraph has is reported', async () => {
  const sdl = priced('shape { ... on Round { radius depth } }');
  const composed = await composeSubgraphs([
    { name: 'drawings', sdl: drawn },
    { name: 'shop', sdl },
  ]);
  const told = { code: 'REQUIRES_INVALID_FIELDS', subgraphs: ['shop'], places: [{ line: 3 }] };
  expect(composed).toMatchObject({ problems: [told] });
});
