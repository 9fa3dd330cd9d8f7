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

/** A service with a field of its name, and types that others share. */
async function sharingService(name: string, refusesMore: boolean) {
  const types = 'type T { of(first: Int, limit: Int @deprecated, by: By): String }';
  const schema = buildSchema(SDL.replace('items(', `${name}: T ${name}Items(`) + types);
  const { url } = await keep(
    serve(({ body }, response) => {
      const { query, operationName } = body as { query: string; operationName?: string };
      const isRefused = refusesMore && operationName === 'IntrospectionQuery' && query !== getIntrospectionQuery();
      return isRefused ? reply(response, 403, {}) : reply(response, 200, graphqlSync({ schema, source: query }));
    }),
  );
  return { name, definition: { url } };
}

test.each(['a', 'b'])(
  'types of two services are the same where only %s shows deprecated inputs and oneOf',
  async (one) => {
    const remotes = [await sharingService('a', one !== 'a'), await sharingService('b', one !== 'b')];
    const gateway = await keep(openGateway({ issuer, metadata: { 'remote_schemas.yaml': remotes } }));
    const query = '{ a { of(first: 1) } b { of(first: 1) } aItems(by: { id: 1 }) bItems(filter: { new: "x" }) }';
    const { body } = await gateway.graphql(query, { token });
    expect(body).toEqual({ data: { a: null, b: null, aItems: null, bItems: null } });
  },
);
