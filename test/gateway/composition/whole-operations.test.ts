import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type EditedGateway, openEditedGateway } from '../harness/edited-gateway.ts';
import { keeper, openIssuer } from '../harness/index.ts';
import { apolloSubgraph, linked } from './subgraphs.ts';
import { federated } from './world.ts';

const { keep, close } = keeper();
afterAll(close);
const issuer = await keep(openIssuer());
const token = issuer.token();

describe('a directive that subgraphs compose for operations', () => {
  let gateway: EditedGateway;
  const urgency = (byDefault: string) => `extend schema
      @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@composeDirective"])
      @link(url: "https://example.test/urgency/v1.0", import: ["@urgency"])
      @composeDirective(name: "@urgency")
    directive @urgency(level: Level!${byDefault}) on FIELD
    enum Level { LOW HIGH }`;

  beforeAll(async () => {
    const cats = await keep(
      apolloSubgraph(`${urgency('')} type Query { cat: String }`, { Query: { cat: () => 'Tom' } }),
    );
    const mice = await keep(
      apolloSubgraph(`${urgency(' = LOW')} type Query { mouse: String }`, { Query: { mouse: () => 'Jerry' } }),
    );
    const files = { 'remote_schemas.yaml': [federated('cats', cats), federated('mice', mice)] };
    gateway = await keep(openEditedGateway(files, { issuer }));
  });

  test('may be used in one, with the defaults of its arguments', async () => {
    const { body } = await gateway.graphql('{ cat @urgency mouse @urgency(level: HIGH) }', { token });
    expect(body).toEqual({ data: { cat: 'Tom', mouse: 'Jerry' } });
  });

  test('is shown by the schema', async () => {
    const { body } = await gateway.graphql('{ __schema { directives { name args { defaultValue } } } }', { token });
    expect(JSON.stringify(body)).toContain('{"name":"urgency","args":[{"defaultValue":"LOW"}]}');
  });

  test('is validated as every other one is', async () => {
    const { body } = await gateway.graphql('{ cat @urgency(level: SOME) }', { token });
    expect(body).toMatchObject({ errors: [{ extensions: { code: 'validation-failed' } }] });
    expect(JSON.stringify(await gateway.graphql('{ cat @speed }', { token }))).toContain('Unknown directive');
  });
});

test('an operation that cannot be planned is refused as a whole', async () => {
  const shapes = await keep(
    apolloSubgraph(
      linked(`type Query { shape: Shape colour: String } interface Shape @key(fields: "id") { id: ID! }`),
      { Query: { shape: () => ({ __typename: 'Shape', id: '1' }), colour: () => 'red' } },
    ),
  );
  const areas = await keep(
    apolloSubgraph(
      linked(`type Query { area: Shape }
        type Shape @key(fields: "id", resolvable: false) @interfaceObject { id: ID! size: Int }`),
      { Query: { area: () => ({ id: '1' }) }, Shape: { size: () => 4 } },
    ),
  );
  const files = { 'remote_schemas.yaml': [federated('shapes', shapes), federated('areas', areas)] };
  const gateway = await keep(openEditedGateway(files, { issuer }));
  expect((await gateway.graphql('{ area { size } }', { token })).body).toEqual({ data: { area: { size: 4 } } });
  shapes.forget();
  const { body } = await gateway.graphql('{ colour shape { size } }', { token });
  expect(body).toMatchObject({ errors: [{ extensions: { code: 'validation-failed' } }] });
  expect(body).not.toHaveProperty('data.colour');
  expect(JSON.stringify(body)).not.toContain('"path":["shape"]');
  expect(shapes.asked()).toEqual([]);
  expect(gateway.logged('operation.unplannable')).toMatchObject([
    { event: 'operation.unplannable', reason: expect.stringMatching(/path|key|interface/) },
  ]);
});

test('a requirement is met below entities that were fetched themselves', async () => {
  const people = await keep(
    apolloSubgraph(
      linked('type Query { people: [Person!]! } type Person @key(fields: "id") { id: ID! name: String }'),
      {
        Query: { people: () => [{ id: '1' }] },
        Person: { __resolveReference: (key: object) => key, name: ({ id }: { id: string }) => `Jo ${id}` },
      },
    ),
  );
  const songs = await keep(
    apolloSubgraph(
      linked(`interface Item { title: String }
        type Book implements Item @key(fields: "id") { id: ID! title: String }
        type Song implements Item @key(fields: "id") { id: ID! title: String writer: Person! }
        type Person @key(fields: "id") { id: ID! wishes: [Item!]! name: String @external
          greeting: String @requires(fields: "name") }`),
      {
        Item: { __resolveType: ({ __typename }: { __typename: string }) => __typename },
        Song: { writer: () => ({ id: '9' }) },
        Person: {
          __resolveReference: (key: object) => key,
          wishes: () => [{ __typename: 'Book' }, { __typename: 'Song', id: 's' }],
          greeting: ({ name }: { name: string }) => `Hello ${name}`,
        },
      },
    ),
  );
  const files = { 'remote_schemas.yaml': [federated('people', people), federated('songs', songs)] };
  const gateway = await keep(openEditedGateway(files, { issuer }));
  const expected = { data: { people: [{ wishes: [{}, { writer: { greeting: 'Hello Jo 9' } }] }] } };
  const asked = (query: string, variables: Record<string, unknown> = {}) =>
    gateway.graphql(query, { token, variables });
  const query = '{ people { wishes { ... on Song { writer { greeting } } } } }';
  expect((await asked(query)).body).toEqual(expected);
  const named = `query Wishes($all: Boolean!) { people { wishes { ... on Song @include(if: $all) { writer { greeting } } } } }`;
  expect((await asked(named, { all: true })).body).toEqual(expected);
  expect((await asked(named, { all: false })).body).toEqual({ data: { people: [{ wishes: [{}, {}] }] } });
});
