import { afterAll, describe, expect, test } from '@jest/globals';
import { buildClientSchema, getIntrospectionQuery, type IntrospectionQuery } from 'graphql';
import { textOf } from '../cli/run-check.ts';
import { apolloSubgraph, productsResolvers, productsSdl, reviewsSdl } from '../composition/subgraphs.ts';
import { federated } from '../composition/world.ts';
import { bearer, graphqlUpstream, keeper, openGateway, openIssuer, webhook } from '../harness/index.ts';
import { metadataDirectory } from '../harness/metadata-directory.ts';
import { wsClient } from '../subscriptions/clients.ts';
import { graphqlWsService } from '../subscriptions/services.ts';

const { keep, close } = keeper();
afterAll(close);
const issuer = await keep(openIssuer());
const admin = issuer.token({ role: 'admin', roles: ['admin'] });

/** A service that calls its root types as Hasura does, and has fields that lead back to them. */
const hall = await keep(
  graphqlUpstream(
    `schema { query: query_root mutation: mutation_root }
     type query_root implements Any { guests: [Guest!]! again: query_root any: Any big: Big ever: String }
     type mutation_root { invite(name: String!): Invited! }
     type Invited { guest: Guest! query: query_root! }
     type Guest { id: ID! name: String! }
     interface Any { ever: String }
     scalar Big`,
    {
      query_root: {
        guests: () => [{ id: '1', name: 'Query' }],
        again: () => ({}),
        any: () => ({ __typename: 'query_root', ever: 'yes' }),
        ever: () => 'yes',
      },
      mutation_root: {
        invite: (_: unknown, { name }: { name: string }) => ({ guest: { id: '2', name }, query: {} }),
      },
    },
  ),
);
const products = await keep(apolloSubgraph(productsSdl, productsResolvers));
const reviews = await keep(
  apolloSubgraph(reviewsSdl, {
    Query: { reviews: () => [{ id: '1', text: 'good' }] },
    Product: { reviews: () => [{ id: '1', text: 'good' }] },
  }),
);
const feed = await keep(graphqlWsService());
const bell = await keep(webhook(() => ({ rung: true })));

const FILES = {
  'remote_schemas.yaml': [
    {
      name: 'hall',
      definition: { url: hall.graphqlUrl },
      permissions: [
        {
          role: 'porter',
          definition: {
            schema:
              'schema { query: query_root } type query_root { guests: [Guest!]! again: query_root } type Guest { id: ID! }',
          },
        },
      ],
      remote_relationships: [
        {
          type_name: 'Guest',
          relationships: [
            {
              name: 'first_order',
              definition: {
                to_remote_schema: {
                  remote_schema: 'feed',
                  lhs_fields: ['id'],
                  remote_field: { order: { arguments: { id: '$id' } } },
                },
              },
            },
          ],
        },
      ],
    },
    federated('products', products),
    federated('reviews', reviews),
    {
      name: 'feed',
      definition: {
        url: feed.url,
        customization: { field_names: [{ parent_type: 'Mutation', prefix: 'feed_' }] },
      },
    },
  ],
  'actions.yaml': { actions: [{ name: 'ring', definition: { handler: bell.url } }] },
  'actions.graphql': 'type Mutation { ring: Rung } type Rung { rung: Boolean }',
  'query_collections.yaml': [
    {
      name: 'saved',
      definition: {
        queries: [{ name: 'guests', query: 'query { ...Q } fragment Q on query_root { __typename guests { id } }' }],
      },
    },
  ],
  'rest_endpoints.yaml': [
    {
      name: 'guests',
      url: 'guests',
      methods: ['GET'],
      definition: { query: { collection_name: 'saved', query_name: 'guests' } },
    },
  ],
};
const gateway = await keep(
  openGateway({ issuer, metadata: FILES, environment: { PORTICO_ROOT_TYPE_NAMES: 'hasura' } }),
);
const ask = async (query: string, token = admin) => (await gateway.graphql(query, { token })).body;

describe('root types that clients know as Hasura calls them', () => {
  test('are called so by introspection, for each role', async () => {
    for (const token of [admin, issuer.token({ role: 'porter', roles: ['porter'] })]) {
      const { data } = await ask(getIntrospectionQuery(), token);
      const schema = buildClientSchema(data as unknown as IntrospectionQuery);
      expect(schema.getQueryType()?.name).toBe('query_root');
      expect(schema.getType('Query')).toBeUndefined();
      expect(String(schema.getQueryType()?.getFields().again?.type)).toBe('query_root');
    }
    expect(await ask('{ __type(name: "mutation_root") { name kind } m: __type(name: "Mutation") { name } }')).toEqual({
      data: { __type: { name: 'mutation_root', kind: 'OBJECT' }, m: null },
    });
    expect(await ask('query { ...F } fragment F on query_root { __typename __schema { queryType { name } } }')).toEqual(
      {
        data: { __typename: 'query_root', __schema: { queryType: { name: 'query_root' } } },
      },
    );
  });

  test.each([
    ['a plain service', 'guests { id __typename }', { guests: [{ id: '1', __typename: 'Guest' }] }],
    ['one subgraph', 'product(upc: "1") { name }', { product: { name: 'bolt' } }],
    ['joined subgraphs', 'product(upc: "1") { reviews { text } }', { product: { reviews: [{ text: 'good' }] } }],
    ['several sources', 'guests { name } orderCount', { guests: [{ name: 'Query' }], orderCount: 2 }],
    ['a relationship', 'guests { first_order { id } }', { guests: [{ first_order: { id: '1' } }] }],
    [
      'a relationship and the schema',
      'guests { first_order { id } } __schema { queryType { name } }',
      { guests: [{ first_order: { id: '1' } }], __schema: { queryType: { name: 'query_root' } } },
    ],
  ])('stand in fragments and answers of %s', async (_, fields, data) => {
    const inFragments = `query { ...F ... on query_root { ${fields} } } fragment F on query_root { __typename t: __typename }`;
    expect(await ask(inFragments)).toEqual({ data: { __typename: 'query_root', t: 'query_root', ...data } });
    expect(await ask(`{ ${fields} }`)).toEqual({ data });
  });

  test('have the graph’s name wherever a response refers to them, and strings are left alone', async () => {
    const query = `{ guests { name } again { __typename again { ... on query_root { __typename } guests { name } } }
      any { __typename ... on query_root { ever } } }`;
    expect(await ask(query)).toEqual({
      data: {
        guests: [{ name: 'Query' }],
        again: { __typename: 'query_root', again: { __typename: 'query_root', guests: [{ name: 'Query' }] } },
        any: { __typename: 'query_root', ever: 'yes' },
      },
    });
    expect(
      await ask('mutation { __typename invite(name: "Mutation") { guest { name } query { __typename } } }'),
    ).toEqual({
      data: {
        __typename: 'mutation_root',
        invite: { guest: { name: 'Mutation' }, query: { __typename: 'query_root' } },
      },
    });
    expect(await ask('mutation { ... on mutation_root { __typename ring { rung __typename } } }')).toEqual({
      data: { __typename: 'mutation_root', ring: { rung: true, __typename: 'Rung' } },
    });
  });

  test('keep the error path of a failing source', async () => {
    hall.instead = (_, response) => response.writeHead(500).end();
    try {
      expect(await ask('{ __typename again { __typename } }')).toMatchObject({
        data: { __typename: 'query_root', again: null },
        errors: [{ path: ['again'] }],
      });
    } finally {
      hall.instead = undefined;
    }
  });

  test('are the only names that there are: the usual ones are unknown', async () => {
    const { errors } = await ask('query { ... on Query { guests { id } } }');
    expect(errors).toMatchObject([{ extensions: { code: 'validation-failed' } }]);
    expect((await ask('{ nothing }')).errors?.[0]?.message).toContain('on type "query_root"');
  });

  test('services are asked in their own names', async () => {
    hall.forget();
    await ask('query { ...F } fragment F on query_root { guests { id } again { ... on query_root { ever } } }');
    expect(hall.operations().map(({ body }) => body.query)).toEqual([expect.stringContaining('on query_root')]);
    products.forget();
    await ask('query { ...F } fragment F on query_root { product(upc: "1") { name } }');
    expect(products.asked().map(({ query }) => query)).toEqual([expect.not.stringContaining('query_root')]);
  });

  test('REST endpoints and subscriptions have them too', async () => {
    const { body } = await gateway.send('/api/rest/guests', { headers: bearer(admin) });
    expect(body).toEqual({ __typename: 'query_root', guests: [{ id: '1' }] });
    const client = await keep(wsClient(gateway.url, { headers: bearer(admin) }));
    const subscribed = client.subscribe(
      'subscription { ...S } fragment S on subscription_root { count(to: 1) { number } }',
    );
    expect(await subscribed.ended()).toBe('complete');
    expect(subscribed.results).toEqual([{ data: { count: { number: 1 } } }]);
  });
});

test('a service with an ordinary type of that name is left out, with a message how to rename it', async () => {
  const service = await keep(graphqlUpstream('type Query { one: query_root } type query_root { id: ID }'));
  const { path: location } = await keep(
    metadataDirectory({ 'remote_schemas.yaml': [{ name: 'odd', definition: { url: service.graphqlUrl } }] }),
  );
  const environment = { PORTICO_ROOT_TYPE_NAMES: 'hasura' };
  const { code, text } = await textOf({ location, environment });
  expect(code).toBe(1);
  expect(text).toContain('the type "query_root" of "odd" has the name of a root type of the graph');
  expect((await textOf({ location })).code).toBe(0);
});
