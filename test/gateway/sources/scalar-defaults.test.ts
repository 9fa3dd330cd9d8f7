import { afterAll, describe, expect, test } from '@jest/globals';
import { buildSchema, getIntrospectionQuery, type IntrospectionQuery, printSchema as printPlainSchema } from 'graphql';
import { introspectionOf, printSchema, printType } from '../../../gateway/graphql/schemas/index.ts';
import { apolloSubgraph, linked } from '../composition/subgraphs.ts';
import { graphqlUpstream, keeper, openGateway, openIssuer } from '../harness/index.ts';

const { keep, close } = keeper();
afterAll(close);
const issuer = await keep(openIssuer());
const secret = 'the-admin-secret-of-this-test-suite';

const FILTER = '{ all: [1, { any: null }], text: "a \\"b\\"" }';
const SDL = /* GraphQL */ `
  scalar Json
  input Search {
    filter: Json = ${FILTER}
    first: Int = 5
  }
  type Query {
    found(filter: Json = ${FILTER}, order: [Json!]! = [{ by: "name" }, "price"]): String
    search(search: Search! = { filter: [{ a: 1 }] }): String
  }
`;
const FOUND = { filter: { all: [1, { any: null }], text: 'a "b"' }, order: [{ by: 'name' }, 'price'] };
const SEARCHED = { search: { filter: [{ a: 1 }], first: 5 } };
const DEFAULTS = [
  '{all: [1, {any: null}], text: "a \\"b\\""}',
  '[{by: "name"}, "price"]',
  '{filter: [{a: 1}], first: 5}',
];

const echo = (_: unknown, given: object) => JSON.stringify(given);
const resolvers = { Query: { found: echo, search: echo } };

function defaultsOf({ __schema: { types } }: IntrospectionQuery): unknown[] {
  const query = types.find(({ name }) => name === 'Query');
  return query?.kind === 'OBJECT' ? query.fields.flatMap(({ args }) => args.map((one) => one.defaultValue)) : [];
}

const shop = async (definition: object, more: object = {}) => {
  const { graphqlUrl: url } = await keep(graphqlUpstream(SDL, resolvers));
  return { ...more, name: 'shop', definition: { url, schema_file: 'shop.graphql', ...definition } };
};

describe('objects and lists of custom scalars may be defaults', () => {
  test.each([
    ['a plain service', () => shop({})],
    ['a customized service', () => shop({ customization: { type_names: { mapping: { Json: 'Anything' } } } })],
    ['a service with permissions', () => shop({}, { permissions: [{ role: 'user', definition: { schema: SDL } }] })],
    [
      'a subgraph',
      async () => {
        const { graphqlUrl: url } = await keep(apolloSubgraph(linked(SDL), resolvers));
        return { name: 'shop', definition: { url, composition: 'federation' } };
      },
    ],
  ])('of %s', async (_, remote) => {
    const metadata = { 'remote_schemas.yaml': [await remote()], 'shop.graphql': SDL };
    const environment = { HASURA_GRAPHQL_ADMIN_SECRET: secret };
    const gateway = await keep(openGateway({ issuer, metadata, environment }));
    const token = issuer.token();
    const { body } = await gateway.graphql('{ found search }', { token });
    expect(body).toEqual({ data: { found: JSON.stringify(FOUND), search: JSON.stringify(SEARCHED) } });
    const introspection = await gateway.graphql(getIntrospectionQuery(), { token });
    expect(introspection.body.errors).toBeUndefined();
    expect(defaultsOf(introspection.body.data as never)).toEqual(DEFAULTS);
  });

  test('of a service that is introspected by a command, and documented', async () => {
    const query = 'query found($filter: Json, $search: Search!) { found(filter: $filter) search(search: $search) }';
    const metadata = {
      'remote_schemas.yaml': [await shop({})],
      'shop.graphql': SDL,
      'query_collections.yaml': [{ name: 'saved', definition: { queries: [{ name: 'found', query }] } }],
      'rest_endpoints.yaml': [
        {
          name: 'found',
          url: 'found',
          methods: ['POST'],
          definition: { query: { collection_name: 'saved', query_name: 'found' } },
        },
      ],
    };
    const gateway = await keep(openGateway({ issuer, metadata, environment: { HASURA_GRAPHQL_ADMIN_SECRET: secret } }));
    const headers = { 'x-hasura-admin-secret': secret };
    const command = { type: 'introspect_remote_schema', args: { name: 'shop' } };
    const { body } = await gateway.post<{ data: IntrospectionQuery }>('/v1/metadata', command, headers);
    expect(defaultsOf(body.data)).toEqual(DEFAULTS);
    const document = await gateway.send<object>('/api/swagger/json', { headers });
    expect(document.body).toMatchObject({
      components: { schemas: { Search: { properties: { filter: { default: FOUND.filter }, first: { default: 5 } } } } },
    });
  });
});

test('a schema is printed as graphql-js prints it, apart from such defaults', () => {
  const text = printSchema(buildSchema(`directive @checked(by: Json = ${FILTER}) on FIELD\n${SDL}`));
  const schema = buildSchema(text);
  expect(printSchema(schema)).toBe(text);
  expect(text).toContain(`directive @checked(by: Json = ${DEFAULTS[0]}) on FIELD`);
  expect(introspectionOf(schema).__schema.directives.find(({ name }) => name === 'checked')?.args[0]).toMatchObject({
    defaultValue: DEFAULTS[0],
  });
  const plain = buildSchema('"Texts" scalar Json type Query { a(b: Json = "c", d: [Int] = [1]): Json @deprecated }');
  expect(printSchema(plain)).toBe(printPlainSchema(plain));
});

test('fields of an input object may have the names of members that all objects have', () => {
  const [search, place] = ['{filter: {all: 1}}', '{x: 1}'];
  const sdl = `enum Way {\n  UP\n}\n\ninput Search {\n  toString: Way\n  constructor: Int\n  filter: Json\n}\n\ninput Place {\n  x: Int\n  valueOf: Way\n}\n\nscalar Json\n\ntype Query {\n  search(search: Search = ${search}): String\n  at(place: Place = ${place}): String\n}`;
  const schema = buildSchema(sdl);
  expect(printSchema(schema)).toBe(sdl);
  expect(defaultsOf(introspectionOf(schema))).toEqual([search, place]);
});

test.each([
  ['no such default', ''],
  ['such a default', `(of: Json = ${FILTER})`],
])('texts of a schema are what they are, beside %s', (_, args) => {
  const text = 'literal of the default: x';
  const sdl = `"${text}" scalar Json type Query { "${text} \\\\q" a${args}: Json b(text: String = "${text}"): Json }`;
  const schema = buildSchema(sdl);
  const printed = printSchema(schema);
  expect(printed).toContain(`"""${text}"""\nscalar Json`);
  expect(printed).toContain(`"""${text} \\q"""`);
  expect(printed).toContain(`b(text: String = "${text}"): Json`);
  expect(printSchema(buildSchema(printed))).toBe(printed);
  expect(Object.values(schema.getTypeMap()).map(printType).join('\n\n')).toContain(printed);
  expect(defaultsOf(introspectionOf(schema))).toContain(`"${text}"`);
});
