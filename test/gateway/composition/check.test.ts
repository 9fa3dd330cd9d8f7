import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stitchingDirectives } from '@graphql-tools/stitching-directives';
import { afterAll, describe, expect, test } from '@jest/globals';
import { reportOf, textOf } from '../cli/run-check.ts';
import { graphqlUpstream, keeper } from '../harness/index.ts';
import { metadataDirectory } from '../harness/metadata-directory.ts';
import { linked, productsSdl, productsSubgraph, reviewsSdl } from './subgraphs.ts';

const { keep, close } = keeper();
afterAll(close);

const NOWHERE = 'http://127.0.0.1:1/graphql';

/** Metadata of subgraphs whose SDL stands in files. */
function described(subgraphs: Readonly<Record<string, string>>, composition = 'federation') {
  const remotes = Object.keys(subgraphs).map((name) => ({
    name,
    definition: { url: NOWHERE, composition, schema_file: `${name}.graphql` },
  }));
  const files = Object.fromEntries(Object.entries(subgraphs).map(([name, sdl]) => [`${name}.graphql`, sdl]));
  return metadataDirectory({ 'remote_schemas.yaml': remotes, ...files });
}

const SHOP = { products: productsSdl, reviews: reviewsSdl };

describe('portico check', () => {
  test('composes subgraphs without serving them', async () => {
    const { path } = await keep(described(SHOP));
    const { code, report } = await reportOf({ location: path });
    expect(report).toMatchObject({ valid: true, problems: [], hints: [] });
    expect(report.sources).toEqual([{ name: 'federation', kind: 'federation', members: ['products', 'reviews'] }]);
    expect(report.roles['*']).toContain('query reviews');
    expect(code).toBe(0);
    expect((await textOf({ location: path })).text).toContain('federation (federation of products, reviews)');
  });

  test('reports why subgraphs do not compose, and where', async () => {
    const { path } = await keep(described({ ...SHOP, other: linked('type Query {\n reviews: Int }') }));
    const { code, report } = await reportOf({ location: path });
    expect(code).toBe(1);
    expect(report.problems[0]).toMatchObject({ file: 'remote_schemas.yaml', line: 11, path: '[2]' });
    expect(report.problems[0]?.message).toMatch(
      /remote schema "other": it cannot be composed: \w+: .*"Query\.reviews".*line 2 of the SDL of "reviews", line 4 of the SDL of "other"/,
    );
  });

  test('reports breaking changes of the composed graph', async () => {
    const { path: before } = await keep(described(SHOP));
    const { path } = await keep(described({ ...SHOP, products: productsSdl.replace('price: Int', '') }));
    const { code, report } = await reportOf({ location: path, against: before });
    expect(code).toBe(1);
    expect(report.changes?.[0]).toMatchObject({ breaking: true, message: expect.stringContaining('price') });
  });

  test('hints at a field that costs many calls', async () => {
    const { path } = await keep(
      described({
        ...SHOP,
        stock: linked(`type Query { stock: Int }
          type Product @key(fields: "upc") { upc: String! weight: Int }`),
        shipping: linked(`type Query { rate: Int }
          type Product @key(fields: "upc") {
            upc: String! weight: Int @external price: Int @external
            shipping: Int @requires(fields: "weight price")
          }`),
      }),
    );
    const { code, report } = await reportOf({ location: path });
    expect(code).toBe(0);
    expect(report.hints).toEqual([
      {
        source: 'federation',
        message: expect.stringMatching(/^"Product\.shipping" costs 3 calls when it is asked for by "Query\.product/),
      },
    ]);
    expect((await textOf({ location: path })).text).toContain('hint: federation: "Product.shipping" costs 3 calls');
  });

  test('hints at an entity without a reachable key', async () => {
    const { path } = await keep(
      described({
        products: linked('type Query { p: Int } type Product @key(fields: "upc") { upc: ID! name: String }'),
        legacy: linked(`type Query { legacy: Product }
          type Product @key(fields: "sku") @key(fields: "upc", resolvable: false) { sku: ID! upc: ID! shelf: Int }`),
      }),
    );
    const { code, report } = await reportOf({ location: path });
    expect(code).toBe(0);
    expect(report.hints.map(({ message }) => message)).toEqual([
      'the entity "Product" has no reachable key in "legacy": no other subgraph has the fields of a key there ("sku"), so only "legacy" itself leads to "sku", "shelf"',
    ]);
  });

  test('hints at stitched objects that are fetched one by one', async () => {
    const sdl = `${stitchingDirectives().allStitchingDirectivesTypeDefs}
      type Query { user(id: ID!): User @merge(keyField: "id") users(ids: [ID!]!): [Other] @merge(keyField: "id") }
      type User { id: ID! name: String } type Other { id: ID! }`;
    const { path } = await keep(described({ users: sdl }, 'stitching'));
    const { report } = await reportOf({ location: path });
    expect(report.hints).toEqual([
      { source: 'users', message: expect.stringContaining('"Query.user" returns one "User"') },
    ]);
  });

  test('reports all mistakes in the directives of a stitched service', async () => {
    const sdl = `type Query { user(id: ID!, at: Int): User @merge users(ids: [ID!]!): [User] @merge(keyArg: "id") }
      type User @key(selectionSet: "id") { id: ID! }`;
    const { path } = await keep(described({ users: sdl }, 'stitching'));
    const { report } = await reportOf({ location: path });
    expect(report.problems.map(({ message }) => message)).toEqual([
      expect.stringContaining('its SDL: User @key: "id": Syntax Error'),
      expect.stringContaining('its SDL: Query.user @merge: the field does not have exactly one argument'),
      expect.stringContaining('its SDL: Query.users @merge: the field has no argument "id"'),
    ]);
  });

  test('records the schema of each kind of service, and checks against the recordings', async () => {
    const products = await keep(productsSubgraph());
    const sdl = `${stitchingDirectives().allStitchingDirectivesTypeDefs}
      type Query { users(ids: [ID!]!): [User] @merge(keyField: "id") _sdl: String! } type User { id: ID! name: String }`;
    const users = await keep(graphqlUpstream(sdl, { Query: { _sdl: () => sdl } }));
    const plain = await keep(graphqlUpstream('type Query { now: Int }'));
    const remotes = Object.entries({ products, users, plain }).map(([name, { graphqlUrl }]) => ({
      name,
      definition: { url: graphqlUrl, composition: 'auto' },
    }));
    const { path } = await keep(metadataDirectory({ 'remote_schemas.yaml': remotes }));
    const recorded = join(path, 'recorded');
    const asked = await reportOf({ location: path, record: recorded });
    expect(readFileSync(join(recorded, 'products.graphql'), 'utf8')).toContain('@key');
    for (const service of [products, users, plain]) await service.stop();
    const { report } = await reportOf({ location: path, schemas: recorded });
    expect(report.problems).toEqual([]);
    expect([report.sources, report.roles]).toEqual([asked.report.sources, asked.report.roles]);
  });
});

describe('a contradictory definition of a remote schema', () => {
  test.each([
    ['an unknown kind', { url: NOWHERE, composition: 'apollo' }, 'composition', 'expected one of'],
    ['a supergraph that is plain', { supergraph_url: NOWHERE }, 'composition', 'requires the composition "federation"'],
    [
      'a supergraph and a service',
      { composition: 'federation', supergraph_url: NOWHERE, url: NOWHERE },
      'url',
      'is for a single service',
    ],
    [
      'two supergraphs',
      { composition: 'federation', supergraph_url: NOWHERE, supergraph_url_from_env: 'URL' },
      'definition',
      'at most one of supergraph_file',
    ],
    ['subgraphs without a supergraph', { url: NOWHERE, subgraphs: { a: {} } }, 'subgraphs', 'is for a supergraph'],
    [
      'a schema file for a service whose kind is detected',
      { url: NOWHERE, composition: 'auto', schema_file: 'a.graphql' },
      'composition',
      'set the kind of the service',
    ],
    [
      'a supergraph file that is not there',
      { composition: 'federation', supergraph_file: 'gone.graphql' },
      'supergraph_file',
      '"gone.graphql" does not exist in the metadata directory',
    ],
    ['neither a service nor a supergraph', { composition: 'federation' }, 'definition', 'exactly one of url'],
  ])('is reported with file and line: %s', async (_, definition, key, reason) => {
    const { path } = await keep(
      metadataDirectory({ 'remote_schemas.yaml': [{ name: 'a', definition }], 'a.graphql': 'type Query { a: Int }' }),
    );
    const { code, report } = await reportOf({ location: path });
    expect(code).toBe(1);
    expect(report.problems).toContainEqual({
      file: 'remote_schemas.yaml',
      line: expect.any(Number),
      path: key === 'definition' ? '[0].definition' : `[0].definition.${key}`,
      message: expect.stringContaining(reason),
    });
  });

  test('is reported with file and line: a subgraph that refers to an unset variable', async () => {
    const definition = {
      composition: 'federation',
      supergraph_file: 'shop.graphql',
      subgraphs: { reviews: { url_from_env: 'NOT_SET' } },
    };
    const { path } = await keep(
      metadataDirectory({
        'remote_schemas.yaml': [{ name: 'shop', definition }],
        'shop.graphql': 'enum join__Graph { A }',
      }),
    );
    const { report } = await reportOf({ location: path });
    expect(report.problems).toMatchObject([
      { path: '[0].definition.subgraphs.reviews.url_from_env', line: 7, message: expect.stringContaining('NOT_SET') },
    ]);
  });

  test.each([
    [
      'a stitched service with other names',
      { composition: 'stitching', customization: { root_fields_namespace: 'x' } },
    ],
  ])('is reported when it is opened: %s', async (_, definition) => {
    const { path } = await keep(
      metadataDirectory({
        'remote_schemas.yaml': [{ name: 'a', definition: { url: NOWHERE, schema_file: 'a.graphql', ...definition } }],
        'a.graphql': 'type Query { a: Int }',
      }),
    );
    const { report } = await reportOf({ location: path });
    expect(report.problems).toEqual([
      expect.objectContaining({
        path: '[0].definition.customization',
        message: expect.stringContaining('cannot be customized'),
      }),
    ]);
  });
});
