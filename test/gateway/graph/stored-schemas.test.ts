import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { textOf } from '../cli/run-check.ts';
import {
  apolloSubgraph,
  linked,
  productsSubgraph,
  reviewsSubgraph,
  type TestSubgraph,
} from '../composition/subgraphs.ts';
import { federated } from '../composition/world.ts';
import { type ChangingUpstream, changingUpstream } from '../harness/changing-upstream.ts';
import { type EditedGateway, openEditedGateway } from '../harness/edited-gateway.ts';
import { endpoint, freePort, keeper, openIssuer, reply, send, serve, until } from '../harness/index.ts';
import { sseClient, wsClient } from '../subscriptions/clients.ts';
import { graphqlWsService } from '../subscriptions/services.ts';

const { keep, close } = keeper();
afterAll(close);
const { keep: keepForTest, close: closeAfterTest } = keeper();
afterEach(closeAfterTest);

const issuer = await keep(openIssuer());
const token = issuer.token();

let directory: string;
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'portico-schemas-'));
  await keepForTest({ close: () => rmSync(directory, { recursive: true, force: true }) });
});

type Files = Readonly<Record<string, unknown>>;

/** A gateway that keeps schemas in the directory. Nothing that is missing keeps it from being ready. */
const start = (files: Files, more: Readonly<Record<string, string>> = {}, waitUntilReady = true) =>
  openEditedGateway(files, {
    issuer,
    waitUntilReady,
    environment: { PORTICO_SCHEMA_DIR: directory, PORTICO_READY_GRACE_SECONDS: '0', ...more },
  });

/** Starts a gateway that sees all services, and stops it when it has stored what they are. */
async function remember(files: Files, names: readonly string[]): Promise<void> {
  const gateway = await start(files);
  await until('all schemas are stored', () =>
    names.every((name) => readdirSync(directory).includes(`${name}.graphql`)),
  );
  await until('all sources are there', async () => (await gateway.health()) === 'OK');
  await gateway.close();
}

const stored = (name: string) => readFileSync(join(directory, `${name}.graphql`), 'utf8');
const ask = (gateway: EditedGateway, query: string) => gateway.graphql(query, { token });
const isWhole = (gateway: EditedGateway) => until('the graph is whole', async () => (await gateway.health()) === 'OK');
const unavailable = (service: string, ...path: (string | number)[]) =>
  expect.objectContaining({
    message: `the service "${service}" is not available`,
    path,
    extensions: { path: '$', code: 'source-unavailable', service, reason: 'unavailable', retry_after: 5 },
  });

const SHOP = 'type Query { item: Item } type Mutation { rename: String } type Item { id: ID! order: Int }';
const MAIL = 'type Query { letter: String letters: [String!]! byOrder(order: Int): [String!] }';
const shopAnswers = { Query: { item: () => ({ id: 'i', order: 1 }) }, Mutation: { rename: () => 'renamed' } };
const mailAnswers = { Query: { letter: () => 'hello', letters: () => ['hello'], byOrder: () => ['about it'] } };

const remote = (
  name: string,
  { graphqlUrl: url }: { graphqlUrl: string },
  definition: object = {},
  more: object = {},
) => ({
  name,
  definition: { url, ...definition },
  ...more,
});

describe('a gateway that starts while a service is down whose schema is stored', () => {
  let shop: ChangingUpstream;
  let mail: ChangingUpstream;
  let files: Files;

  beforeEach(async () => {
    shop = await keepForTest(changingUpstream(SHOP, shopAnswers));
    mail = await keepForTest(changingUpstream(MAIL, mailAnswers));
    files = {
      'remote_schemas.yaml': [
        remote(
          'shop',
          shop,
          {},
          {
            remote_relationships: [
              {
                type_name: 'Item',
                relationships: [
                  {
                    name: 'letters',
                    definition: {
                      to_remote_schema: {
                        remote_schema: 'mail',
                        lhs_fields: ['order'],
                        remote_field: { byOrder: { arguments: { order: '$order' } } },
                      },
                    },
                  },
                ],
              },
            ],
          },
        ),
        remote('mail', mail),
      ],
      'query_collections.yaml': [
        {
          name: 'saved',
          definition: {
            queries: [
              { name: 'letter', query: '{ letter }' },
              { name: 'item', query: '{ item { id } }' },
            ],
          },
        },
      ],
      'rest_endpoints.yaml': [endpoint('letter', 'letter', ['GET']), endpoint('item', 'item', ['GET'])],
    };
    await remember(files, ['shop', 'mail']);
    await mail.stop();
  });

  test('answers its fields with null and an error, keeps the others, and sends it nothing', async () => {
    const gateway = await keepForTest(start(files));
    const { status, headers, body } = await ask(gateway, '{ item { id letters } letter }');
    expect(status).toBe(200);
    expect(headers['retry-after']).toBe('5');
    expect(body).toEqual({
      data: { item: { id: 'i', letters: null }, letter: null },
      errors: expect.arrayContaining([unavailable('mail', 'letter'), unavailable('mail', 'item', 'letters')]),
    });
    expect((await ask(gateway, '{ letter }')).body).toEqual({
      data: { letter: null },
      errors: [unavailable('mail', 'letter')],
    });
    expect((await ask(gateway, '{ letters }')).body).toEqual({ data: null, errors: [unavailable('mail', 'letters')] });
    // What does not exist is known.
    expect((await ask(gateway, '{ lettre }')).body.errors).toMatchObject([
      { message: 'Cannot query field "lettre" on type "Query". Did you mean "letter" or "letters"?' },
    ]);
    const authorization = `Bearer ${token}`;
    expect(await gateway.send('/api/rest/letter', { headers: { authorization } })).toMatchObject({
      status: 503,
      headers: { 'retry-after': '5' },
      body: { code: 'source-unavailable' },
    });
    expect((await gateway.send('/api/rest/item', { headers: { authorization } })).status).toBe(200);
  });

  test('says so to operators', async () => {
    const gateway = await keepForTest(start(files, {}, false));
    await until('it has been asked', () => gateway.logged('remote_schema.stored_schema_used').length > 0);
    expect((await gateway.send('/readyz')).body).toMatchObject({ missing_sources: ['mail'] });
    expect(await gateway.health()).toBe('WARN: inconsistent objects in schema');
    expect((await gateway.command('get_inconsistent_metadata')).body).toMatchObject({
      inconsistent_objects: [{ name: 'mail', reason: expect.stringContaining('ECONNREFUSED') }],
    });
  });

  test('asks it until it answers; then all is as it is', async () => {
    const gateway = await keepForTest(start(files));
    await mail.start();
    await isWhole(gateway);
    expect((await ask(gateway, '{ item { letters } letter }')).body).toEqual({
      data: { item: { letters: ['about it'] }, letter: 'hello' },
    });
    expect(gateway.logged('remote_schema.changed')).toEqual([]);
  });

  test('uses the schema it changed to meanwhile, logs the difference and stores it', async () => {
    const gateway = await keepForTest(start(files));
    mail.become('type Query { letter: String parcel: String byOrder(order: Int): [String!] }', {
      Query: { parcel: () => 'a box' },
    });
    await mail.start();
    await isWhole(gateway);
    expect((await ask(gateway, '{ parcel }')).body).toEqual({ data: { parcel: 'a box' } });
    await until('the change is logged', () => gateway.logged('remote_schema.changed').length > 0);
    expect(gateway.logged('remote_schema.changed')).toMatchObject([
      {
        source: 'mail',
        changes: [
          { breaking: true, message: "Field 'letters' was removed from object type 'Query'" },
          { breaking: false, message: "Field 'parcel' was added to object type 'Query'" },
        ],
      },
    ]);
    await until('it is stored', () => stored('mail').includes('parcel'));
  });

  test('lets it take nothing from a service that is there', async () => {
    // What the mail did is what the shop does now.
    shop.become(`${SHOP} extend type Query { letter: String }`, { Query: { letter: () => 'from the shop' } });
    const gateway = await keepForTest(start(files));
    expect((await ask(gateway, '{ letter }')).body).toEqual({ data: { letter: 'from the shop' } });
    expect(gateway.logged('remote_schema.conflict')).toEqual([]);
    // Nobody is told that its other fields do not exist.
    expect((await ask(gateway, '{ letters }')).status).toBe(503);
  });

  test('gives roles what the metadata permits now, whatever it permitted then', async () => {
    const permissions = [{ role: 'user', definition: { schema: 'type Query { letter: String }' } }];
    const [first, second] = files['remote_schemas.yaml'] as readonly object[];
    const { remote_relationships: _, ...shopAlone } = first as { remote_relationships: unknown };
    const gateway = await keepForTest(
      start({ ...files, 'remote_schemas.yaml': [shopAlone, { ...second, permissions }] }),
    );
    expect((await ask(gateway, '{ letter }')).body.errors).toEqual([unavailable('mail', 'letter')]);
    expect((await ask(gateway, '{ letters }')).body.errors).toMatchObject([
      { extensions: { code: 'validation-failed' } },
    ]);
  });

  test.each<[string, (one: { name: string; definition: object }) => object]>([
    ['another address', (one) => ({ ...one, definition: { ...one.definition, url: 'http://127.0.0.1:1/graphql' } })],
    ['another composition', (one) => ({ ...one, definition: { ...one.definition, composition: 'stitching' } })],
    [
      'another variable for its credentials',
      (one) => ({ ...one, definition: { ...one.definition, headers: [{ name: 'x-key', value_from_env: 'KEY' }] } }),
    ],
  ])('does not take it for a service with %s', async (_, changed) => {
    const [first, second] = files['remote_schemas.yaml'] as readonly { name: string; definition: object }[];
    const gateway = await keepForTest(
      start({ ...files, 'remote_schemas.yaml': [first, changed(second as never)] }, { KEY: 'k' }),
    );
    expect((await ask(gateway, '{ letter }')).status).toBe(503);
    expect(gateway.logged('stored_schema.ignored')).toMatchObject([
      { source: 'mail', reason: 'it belongs to another description of the source' },
    ]);
  });

  test('gives it the names that the metadata says now', async () => {
    const [first, second] = files['remote_schemas.yaml'] as readonly { name: string; definition: object }[];
    const { remote_relationships: _, ...shopAlone } = first as unknown as { remote_relationships: unknown };
    const customization = { root_fields_namespace: 'post' };
    const gateway = await keepForTest(
      start({
        'remote_schemas.yaml': [shopAlone, { ...second, definition: { ...second?.definition, customization } }],
      }),
    );
    expect((await ask(gateway, '{ post { letter } item { id } }')).body).toMatchObject({
      data: { item: { id: 'i' } },
      errors: [{ extensions: { code: 'source-unavailable', service: 'mail' } }],
    });
  });

  test('takes it when the metadata is reloaded, too', async () => {
    const [first] = files['remote_schemas.yaml'] as readonly object[];
    const { remote_relationships: _, ...shopAlone } = first as { remote_relationships: unknown };
    const gateway = await keepForTest(start({ 'remote_schemas.yaml': [shopAlone] }));
    expect((await ask(gateway, '{ letter }')).status).toBe(200);
    await gateway.edit({ 'remote_schemas.yaml': files['remote_schemas.yaml'] });
    expect((await ask(gateway, '{ letter }')).body.errors).toEqual([unavailable('mail', 'letter')]);
    // And keeps to ask it, through one that leaves it as it is.
    await gateway.command('reload_metadata', { reload_remote_schemas: false });
    await mail.start();
    await isWhole(gateway);
    expect((await ask(gateway, '{ letter }')).body).toEqual({ data: { letter: 'hello' } });
  });
});

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
    writeFileSync(join(directory, 'reviews.graphql'), `${stored('reviews')}\nextend type Query { products: Int }\n`);
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
    writeFileSync(join(directory, 'reviews.graphql'), `${stored('reviews')}\nextend type Query { letter: String }\n`);
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
    const supergraph = supergraphSdl(products.graphqlUrl.replace('//', '//user:secret-word@'));
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
      join(directory, 'all.graphql'),
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

describe('what a file of a stored schema holds', () => {
  test('is the schema, by the description as it is written, without addresses or secrets', async () => {
    const shop = await keepForTest(changingUpstream(SHOP, shopAnswers));
    const url = shop.graphqlUrl.replace('//', '//user:address-password@');
    const headers = [{ name: 'x-key', value: 'header-secret' }];
    const files = { 'remote_schemas.yaml': [remote('a/b c', { graphqlUrl: url }, { headers })] };
    await remember(files, ['a%2Fb%20c']);
    expect(stored('a%2Fb%20c')).toMatch(/^# composition: plain\n# definition: [0-9a-f]{32}\ntype Query \{\n/);
    expect(stored('a%2Fb%20c')).not.toMatch(/address-password|header-secret|127\.0\.0\.1/);
    // Other secrets and another address by the same variable are the same service.
    const again = [{ name: 'x-key', value: 'another-secret' }];
    await shop.stop();
    const gateway = await keepForTest(
      start({ 'remote_schemas.yaml': [remote('a/b c', { graphqlUrl: url }, { headers: again })] }),
    );
    expect((await ask(gateway, '{ item { id } }')).body.errors).toEqual([unavailable('a/b c', 'item')]);
  });
});

describe('a directory of stored schemas', () => {
  let shop: ChangingUpstream;
  let files: Files;
  beforeEach(async () => {
    shop = await keepForTest(changingUpstream(SHOP, shopAnswers));
    files = { 'remote_schemas.yaml': [remote('shop', shop)] };
  });

  test.each<[string, string]>([
    ['no SDL', 'type Query {'],
    ['a schema that is none', 'type Query { item: Nothing }'],
    ['a schema without root types', 'type Item { id: ID }'],
    ['names that belong to GraphQL', 'type Query { __item: Int }'],
    ['nesting without an end', `type Query { item: ${'['.repeat(100_000)} }`],
  ])('with foreign content is harmless: %s', async (_, sdl) => {
    await remember(files, ['shop']);
    writeFileSync(join(directory, 'shop.graphql'), [...stored('shop').split('\n').slice(0, 2), sdl].join('\n'));
    await shop.stop();
    const gateway = await keepForTest(start(files));
    expect((await ask(gateway, '{ item { id } }')).status).toBe(503);
    expect(gateway.logged('stored_schema.ignored')).toHaveLength(1);
    await shop.start();
    await isWhole(gateway);
    expect((await ask(gateway, '{ item { id } }')).body).toEqual({ data: { item: { id: 'i' } } });
    await until('it is put right', () => stored('shop').includes('type Item'));
  });

  test('that cannot be written is logged once, and nothing fails', async () => {
    const environment = { PORTICO_SCHEMA_DIR: '/dev/null/schemas' };
    const mail = await keepForTest(changingUpstream('type Query { letter: String }'));
    const gateway = await keepForTest(
      start({ 'remote_schemas.yaml': [remote('shop', shop), remote('mail', mail)] }, environment),
    );
    await isWhole(gateway);
    await until('it is logged', () => gateway.logged('stored_schema.write_failed').length > 0);
    await gateway.command('reload_metadata');
    expect((await ask(gateway, '{ item { id } }')).body).toEqual({ data: { item: { id: 'i' } } });
    expect(gateway.logged('stored_schema.write_failed')).toMatchObject([{ level: 'warn', reason: 'ENOTDIR' }]);
  });

  test('may be shared by gateways that start, stop and see other versions at once', async () => {
    const gateways = await Promise.all(Array.from({ length: 3 }, () => keepForTest(start(files))));
    await Promise.all(gateways.map(isWhole));
    for (let version = 0; version < 5; version++) {
      shop.become(`${SHOP} extend type Query { version${version}: Int }`, shopAnswers);
      await Promise.all(gateways.map((gateway) => gateway.command('reload_metadata')));
    }
    await until('the last one is stored', () => stored('shop').includes('version4'));
    await until('no write is left under way', () => readdirSync(directory).join() === 'shop.graphql');
    for (const gateway of gateways) expect(gateway.logged('stored')).toEqual([]);
    await shop.stop();
    const late = await keepForTest(start(files));
    expect((await ask(late, '{ version4 }')).body.errors).toEqual([unavailable('shop', 'version4')]);
  });

  test('may be what portico check has recorded beside the metadata', async () => {
    const gateway = await keepForTest(start(files, { PORTICO_SCHEMA_DIR: '' }));
    expect(await textOf({ location: gateway.metadata.path, record: directory })).toMatchObject({ code: 0 });
    await gateway.close();
    await shop.stop();
    const late = await keepForTest(start(files));
    expect((await ask(late, '{ item { id } }')).body.errors).toEqual([unavailable('shop', 'item')]);
    // And the check knows it, too.
    const { code, text } = await textOf({
      location: late.metadata.path,
      environment: { PORTICO_SCHEMA_DIR: directory },
    });
    expect(code).toBe(1);
    expect(text).toContain('; a gateway that starts now uses its stored schema');
    expect(text).toContain('role admin: query item, mutation rename');
  });

  test('is shown in the metrics', async () => {
    await remember(files, ['shop']);
    await shop.stop();
    const down = await keepForTest(changingUpstream('type Query { letter: String }'));
    await down.stop();
    const up = await keepForTest(changingUpstream('type Query { parcel: String }'));
    const port = await freePort();
    await keepForTest(
      start(
        { 'remote_schemas.yaml': [remote('shop', shop), remote('down', down), remote('up', up)] },
        { PORTICO_METRICS_PORT: String(port) },
      ),
    );
    const { text } = await send(`http://127.0.0.1:${port}/metrics`);
    expect(text.split('\n').filter((line) => line.startsWith('portico_source'))).toEqual([
      'portico_sources_missing 2',
      'portico_source_schema{source="shop"} 1',
      'portico_source_schema{source="down"} 0',
      'portico_source_schema{source="up"} 2',
    ]);
  });
});

test('a gateway over many subgraphs is ready when all of them are in the graph, and not when the first one is', async () => {
  const subgraphs = await Promise.all(
    Array.from({ length: 12 }, (_, index) =>
      keepForTest(
        apolloSubgraph(linked(`type Query { at${index}: Int } type T${index} @key(fields: "id") { id: ID! }`), {
          Query: { [`at${index}`]: () => index },
        }),
      ),
    ),
  );
  const gateway = await keepForTest(
    start({ 'remote_schemas.yaml': subgraphs.map((one, index) => federated(`s${index}`, one)) }),
  );
  const { body } = await ask(gateway, `{ ${subgraphs.map((_, index) => `at${index}`).join(' ')} }`);
  expect(body).toEqual({ data: Object.fromEntries(subgraphs.map((_, index) => [`at${index}`, index])) });
});
