import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { productsSubgraph, reviewsSubgraph, type TestSubgraph } from '../composition/subgraphs.ts';
import { federated } from '../composition/world.ts';
import { changingUpstream } from '../harness/changing-upstream.ts';
import { reply, serve, until } from '../harness/index.ts';
import { sseClient, wsClient } from '../subscriptions/clients.ts';
import { graphqlWsService } from '../subscriptions/services.ts';
import { isWhole, remote, storedSchemasSuite, unavailable } from './stored-schemas-suite.ts';

const { token, keepForTest, start, directory, remember, stored, ask } = await storedSchemasSuite();

describe('the schemas of other kinds of services', () => {
  test('a missing composed subgraph nulls its own fields only, until it is back', async () => {
    const products: TestSubgraph = await keepForTest(productsSubgraph());
    const reviews: TestSubgraph = await keepForTest(reviewsSubgraph());
    const files = {
      'remote_schemas.yaml': [federated('products', products), federated('reviews', reviews, { composition: 'auto' })],
    };
    await remember(files, ['products', 'reviews']);
    expect(stored('reviews')).toMatch(/^# composition: federation\n# definition: [0-9a-f]{32}\n/);
    await reviews.stop();
    const gateway = await keepForTest(start(files));
    const query = '{ products { name reviews { text } } }';
    const { body } = await ask(gateway, query);
    expect(body.data).toEqual({
      products: [
        { name: 'bolt', reviews: null },
        { name: 'nut', reviews: null },
      ],
    });
    expect(body.errors?.[0]).toMatchObject({
      extensions: { code: 'source-unavailable', service: 'reviews', retry_after: 5 },
    });
    expect((await ask(gateway, '{ reviews { text } }')).body).toMatchObject({
      data: { reviews: null },
      errors: [{ path: ['reviews'], extensions: { code: 'source-unavailable', service: 'reviews' } }],
    });
    await reviews.start();
    await isWhole(gateway);
    expect((await ask(gateway, query)).body).toEqual({
      data: {
        products: [
          { name: 'bolt', reviews: [{ text: 'holds' }] },
          { name: 'nut', reviews: [{ text: 'rusts' }] },
        ],
      },
    });
  });

  test('a stored subgraph that no longer goes together with the others takes nothing from them', async () => {
    const products: TestSubgraph = await keepForTest(productsSubgraph());
    const reviews: TestSubgraph = await keepForTest(reviewsSubgraph());
    // The last one in the metadata, products, would be left out if it were not for which of them is there.
    const files = { 'remote_schemas.yaml': [federated('reviews', reviews), federated('products', products)] };
    await remember(files, ['products', 'reviews']);
    await reviews.stop();
    writeFileSync(join(directory(), 'reviews.graphql'), `${stored('reviews')}\nextend type Query { products: Int }\n`);
    const gateway = await keepForTest(start(files));
    const query = '{ products(first: 1) { name } }';
    expect((await ask(gateway, query)).body).toEqual({ data: { products: [{ name: 'bolt' }] } });
    expect((await ask(gateway, '{ reviews { text } }')).status).toBe(503);
    expect((await ask(gateway, '{ products { reviews { text } } }')).status).toBe(503);
    expect(gateway.logged('remote_schema.conflict')).toEqual([]);
    await reviews.start();
    await isWhole(gateway);
    expect((await ask(gateway, '{ reviews { product { name } } }')).body).toEqual({
      data: { reviews: [{ product: { name: 'bolt' } }, { product: { name: 'nut' } }] },
    });
  });

  test('a stored subgraph takes no root field from another service, and its group stays', async () => {
    const products: TestSubgraph = await keepForTest(productsSubgraph());
    const reviews: TestSubgraph = await keepForTest(reviewsSubgraph());
    const mail = await keepForTest(
      changingUpstream('type Query { letter: String }', { Query: { letter: () => 'hello' } }),
    );
    const files = {
      'remote_schemas.yaml': [federated('reviews', reviews), federated('products', products), remote('mail', mail)],
    };
    await remember(files, ['products', 'reviews', 'mail']);
    await reviews.stop();
    writeFileSync(join(directory(), 'reviews.graphql'), `${stored('reviews')}\nextend type Query { letter: String }\n`);
    const gateway = await keepForTest(start(files));
    await until('it is logged', () => gateway.logged('stored_schema.ignored').length > 0);
    await until('the group is there', async () => {
      const { body } = await ask(gateway, '{ letter products(first: 1) { name } }');
      // Never that there is no such field.
      expect(body.errors?.[0]?.extensions.code ?? 'none').toMatch(/^(none|source-unavailable)$/);
      return body.data?.products !== undefined;
    });
    expect((await ask(gateway, '{ letter products(first: 1) { name } }')).body).toEqual({
      data: { letter: 'hello', products: [{ name: 'bolt' }] },
    });
    await reviews.start();
    await isWhole(gateway);
    expect((await ask(gateway, '{ letter reviews { text } }')).body.errors).toBeUndefined();
  });

  test('stitched services', async () => {
    const sdl = (types: string) => `directive @merge(keyField: String) on FIELD_DEFINITION ${types}`;
    const stitched = async (types: string, resolvers: NonNullable<Parameters<typeof changingUpstream>[1]>) => {
      const text = sdl(`${types} extend type Query { _sdl: String! }`);
      return changingUpstream(text, {
        ...resolvers,
        Query: { ...(resolvers as { Query: object }).Query, _sdl: () => text },
      });
    };
    const users = await keepForTest(
      await stitched(
        'type Query { users: [User!]! user(id: ID!): User @merge(keyField: "id") } type User { id: ID! name: String }',
        {
          Query: { users: () => [{ id: '1', name: 'ada' }], user: () => ({ id: '1', name: 'ada' }) },
        },
      ),
    );
    const posts = await keepForTest(
      await stitched(
        'type Query { poster(id: ID!): User @merge(keyField: "id") } type User { id: ID! posts: [String!] }',
        {
          Query: { poster: () => ({ id: '1', posts: ['first'] }) },
        },
      ),
    );
    const files = {
      'remote_schemas.yaml': [
        remote('users', users, { composition: 'stitching' }),
        remote('posts', posts, { composition: 'stitching' }),
      ],
    };
    await remember(files, ['users', 'posts']);
    await posts.stop();
    const gateway = await keepForTest(start(files));
    const query = '{ users { name posts } }';
    expect((await ask(gateway, query)).body).toMatchObject({
      data: { users: [{ name: 'ada', posts: null }] },
      errors: [{ extensions: { code: 'source-unavailable', service: 'posts' } }],
    });
    await posts.start();
    await isWhole(gateway);
    expect((await ask(gateway, query)).body).toEqual({ data: { users: [{ name: 'ada', posts: ['first'] }] } });
  });

  test('a supergraph that is fetched; addresses in the file count for nothing', async () => {
    const products: TestSubgraph = await keepForTest(productsSubgraph());
    const evil = await keepForTest(serve((_, response) => reply(response, 200, { data: { products: [] } })));
    const supergraph = supergraphSdl(`${products.graphqlUrl}?key=secret-word`);
    const registry = await keepForTest(
      serve((_, response) => response.writeHead(200, { 'content-type': 'text/plain' }).end(supergraph)),
    );
    const files = {
      'remote_schemas.yaml': [
        {
          name: 'all',
          definition: { composition: 'federation', supergraph_url: `${registry.url}/supergraph.graphql` },
        },
      ],
    };
    await remember(files, ['all']);
    expect(stored('all')).not.toMatch(/secret-word|127\.0\.0\.1/);
    await registry.stop();
    writeFileSync(
      join(directory(), 'all.graphql'),
      stored('all').replaceAll('http://subgraph.invalid/', `${evil.url}/graphql`),
    );
    const gateway = await keepForTest(start(files));
    expect((await ask(gateway, '{ products { name } }')).body).toEqual({
      data: { products: null },
      errors: [unavailable('products', 'products')],
    });
    expect(evil.requests).toEqual([]);
    await registry.start();
    await isWhole(gateway);
    expect((await ask(gateway, '{ products { name } }')).body.data).toEqual({
      products: [{ name: 'bolt' }, { name: 'nut' }],
    });
    expect(evil.requests).toEqual([]);
  });

  test('subscriptions end with an error that says when to come back', async () => {
    const feed = await keepForTest(graphqlWsService());
    const at = { graphqlUrl: feed.url };
    const files = { 'remote_schemas.yaml': [remote('feed', at)] };
    await remember(files, ['feed']);
    await feed.close();
    const gateway = await keepForTest(start(files));
    const headers = { authorization: `Bearer ${token}` };
    const overWebSocket = await keepForTest(wsClient(gateway.url, { headers }));
    const error = {
      message: 'the service "feed" is not available',
      extensions: { code: 'source-unavailable', service: 'feed', retry_after: 5 },
    };
    expect(await overWebSocket.subscribe('subscription { orderPlaced { id } }').ended()).toMatchObject([error]);
    const overEvents = await keepForTest(sseClient(gateway.url, headers));
    const subscribed = overEvents.subscribe('subscription { orderPlaced { id } }');
    expect(await subscribed.ended()).toBe('complete');
    expect(subscribed.results).toMatchObject([{ errors: [error] }]);
  });
});

/** Composed by hand of one subgraph. */
function supergraphSdl(url: string): string {
  return `
    schema @link(url: "https://specs.apollo.dev/link/v1.0") @link(url: "https://specs.apollo.dev/join/v0.3", for: EXECUTION) { query: Query }
    directive @join__field(graph: join__Graph, requires: join__FieldSet, provides: join__FieldSet, type: String, external: Boolean, override: String, usedOverridden: Boolean) repeatable on FIELD_DEFINITION | INPUT_FIELD_DEFINITION
    directive @join__graph(name: String!, url: String!) on ENUM_VALUE
    directive @join__type(graph: join__Graph!, key: join__FieldSet, extension: Boolean! = false, resolvable: Boolean! = true, isInterfaceObject: Boolean! = false) repeatable on OBJECT | INTERFACE | UNION | ENUM | INPUT_OBJECT | SCALAR
    directive @link(url: String, as: String, for: link__Purpose, import: [link__Import]) repeatable on SCHEMA
    scalar join__FieldSet
    scalar link__Import
    enum link__Purpose { SECURITY EXECUTION }
    enum join__Graph { PRODUCTS @join__graph(name: "products", url: "${url}") }
    type Query @join__type(graph: PRODUCTS) { products(first: Int): [Product!] }
    type Product @join__type(graph: PRODUCTS, key: "upc") { upc: String! name: String }
  `;
}
