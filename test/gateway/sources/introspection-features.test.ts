import { afterAll, expect, test } from '@jest/globals';
import {
  buildSchema,
  getIntrospectionQuery,
  graphqlSync,
  type IntrospectionQuery,
  introspectionFromSchema,
} from 'graphql';
import { graphqlUpstream, keeper, openGateway, openIssuer, reply, serve } from '../harness/index.ts';

const { keep, close } = keeper();
afterAll(close);
const issuer = await keep(openIssuer());
const token = issuer.token();

const SDL = /* GraphQL */ `
  "A shop"
  schema {
    query: Query
  }
  type Query {
    items(first: Int, limit: Int @deprecated(reason: "use first"), by: By, filter: Filter = { old: "x" }): String
  }
  input By @oneOf {
    id: ID
    name: String
  }
  input Filter {
    old: String @deprecated
    new: String
  }
  scalar Day @specifiedBy(url: "https://day.portico.test")
  directive @twice(day: Day @deprecated) repeatable on FIELD
`;
const items = (given: object) => JSON.stringify(given);

const openShop = async (url: string) =>
  keep(openGateway({ issuer, metadata: { 'remote_schemas.yaml': [{ name: 'shop', definition: { url } }] } }));

/** A service that answers introspections by `introspect`, and everything else. */
async function shopThat(introspect: (query: string) => object) {
  const schema = buildSchema(SDL);
  const { url } = await keep(
    serve(({ body }, response) => {
      const { query, variables } = body as { query: string; variables?: Record<string, unknown> };
      if (query.includes('IntrospectionQuery')) return reply(response, 200, introspect(query));
      return reply(
        response,
        200,
        graphqlSync({ schema, source: query, variableValues: variables, rootValue: { items } }),
      );
    }),
  );
  return openShop(url);
}

test('deprecated arguments and input fields of a service can be used, and are introspected with the rest', async () => {
  const { graphqlUrl } = await keep(graphqlUpstream(SDL, { Query: { items: (_, given) => items(given) } }));
  const gateway = await openShop(graphqlUrl);
  const query = '{ a: items(limit: 2, filter: { old: "y" }) b: items(by: { id: 1 }) }';
  const used = { a: items({ limit: 2, filter: { old: 'y' } }), b: items({ by: { id: '1' }, filter: { old: 'x' } }) };
  expect((await gateway.graphql(query, { token })).body).toEqual({ data: used });
  const both = await gateway.graphql('{ items(by: { id: 1, name: "a" }) }', { token });
  expect(both.body.errors).toMatchObject([{ extensions: { code: 'validation-failed' } }]);

  const all = { schemaDescription: true, specifiedByUrl: true, inputValueDeprecation: true, oneOf: true } as const;
  const { body } = await gateway.graphql(getIntrospectionQuery(all), { token });
  const { types } = (body.data as unknown as IntrospectionQuery).__schema;
  const ours = types.filter(({ name }) => ['Query', 'By', 'Filter', 'Day'].includes(name));
  const theirs = introspectionFromSchema(buildSchema(SDL), all).__schema.types;
  expect(ours).toHaveLength(4);
  for (const type of ours) expect(type).toEqual(theirs.find(({ name }) => name === type.name));
});

test('a service of the specification of 2018 is introspected by its query', async () => {
  const asked: string[] = [];
  const gateway = await shopThat((query) => {
    asked.push(query);
    if (query.includes('__type('))
      return { data: { Type: { fields: [{ name: 'inputFields', args: [] }] }, Field: null } };
    return { data: introspectionFromSchema(buildSchema(SDL), { specifiedByUrl: false }) };
  });
  expect((await gateway.graphql('{ items(first: 1) }', { token })).body.errors).toBeUndefined();
  expect(asked.at(-1)).toBe(getIntrospectionQuery());
});

test('a service that refuses to say what it supports is introspected all the same', async () => {
  const gateway = await shopThat((query) =>
    query === getIntrospectionQuery()
      ? { data: introspectionFromSchema(buildSchema(SDL)) }
      : { errors: [{ message: 'no such operation is allowed' }] },
  );
  expect((await gateway.graphql('{ items(first: 1) }', { token })).body.errors).toBeUndefined();
});

test('a required argument that a service deprecates is not deprecated, since GraphQL allows none', async () => {
  const sdl = SDL.replace('first: Int,', 'first: Int! @deprecated,');
  const schema = buildSchema(sdl, { assumeValid: true });
  const gateway = await shopThat((query) => graphqlSync({ schema, source: query }));
  const { body } = await gateway.graphql(
    '{ items(first: 1) __type(name: "Query") { fields { args(includeDeprecated: true) { name isDeprecated } } } }',
    { token },
  );
  expect(body.errors).toBeUndefined();
  expect(body.data).toMatchObject({
    __type: {
      fields: [{ args: [{ name: 'first', isDeprecated: false }, { name: 'limit', isDeprecated: true }, {}, {}] }],
    },
  });
});
