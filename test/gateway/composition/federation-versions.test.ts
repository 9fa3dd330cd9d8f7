import { afterAll, describe, expect, test } from '@jest/globals';
import { type Composition, composeSubgraphs, readSupergraph } from '../../../gateway/planning/composition/index.ts';
import { openEditedGateway } from '../harness/edited-gateway.ts';
import { keeper, openIssuer, until } from '../harness/index.ts';
import { apolloSubgraph } from './subgraphs.ts';
import { federated } from './world.ts';

const { keep, close } = keeper();
afterAll(close);
const issuer = await keep(openIssuer());
const token = issuer.token();

function linkTo(version: string, ...imported: readonly string[]): string {
  return `extend schema @link(url: "https://specs.apollo.dev/federation/${version}", import: [${imported.join(', ')}])\n`;
}

function problemsOf(composition: Composition) {
  return 'problems' in composition ? composition.problems : [];
}

describe('subgraphs of newer versions of Apollo Federation', () => {
  test.each(['v2.9', 'v2.10', 'v2.11', 'v2.12', 'v2.13', 'v2.14'])('are joined with %s', async (version) => {
    const link = linkTo(version, '"@key"', '"@cost"', '"@listSize"');
    const products = await keep(
      apolloSubgraph(
        `${link} type Query { products(first: Int): [Product] @listSize(slicingArguments: ["first"]) }
         type Product @key(fields: "upc") { upc: ID! name: String @cost(weight: 2) }`,
        { Query: { products: () => [{ upc: '1', name: 'bolt' }] } },
      ),
    );
    const stock = await keep(
      apolloSubgraph(`${link} type Product @key(fields: "upc") { upc: ID! stock: Int }`, {
        Product: { stock: () => 7 },
      }),
    );
    const files = { 'remote_schemas.yaml': [federated('products', products), federated('stock', stock)] };
    const gateway = await keep(openEditedGateway(files, { issuer }));
    const { body } = await gateway.graphql('{ products(first: 1) { name stock } }', { token });
    expect(body).toEqual({ data: { products: [{ name: 'bolt', stock: 7 }] } });
  });

  test('may have cache tags, which have no effect', async () => {
    const sdl = `${linkTo('v2.12', '"@key"', '"@cacheTag"')}
      type Query { product(upc: ID!): Product @cacheTag(format: "product-{$args.upc}") @cacheTag(format: "products") }
      type Product @key(fields: "upc") @cacheTag(format: "product-{$key.upc}") { upc: ID! name: String }`;
    const products = await keep(apolloSubgraph(sdl, { Query: { product: () => ({ upc: '1', name: 'bolt' }) } }));
    const files = { 'remote_schemas.yaml': [federated('products', products)] };
    const gateway = await keep(openEditedGateway(files, { issuer }));
    const { body } = await gateway.graphql('{ product(upc: "1") { name } }', { token });
    expect(body).toEqual({ data: { product: { name: 'bolt' } } });
    const document = await gateway.graphql('{ product(upc: "1") @cacheTag(format: "x") { name } }', { token });
    expect(document.body.errors).toMatchObject([{ message: expect.stringContaining('Unknown directive') }]);
  });

  test('may give cache tags another name, or none', async () => {
    const tagged = (name: string) => `type Query { a: Int @${name}(format: "a") }`;
    const named = linkTo('v2.12', '{ name: "@cacheTag", as: "@tagged" }');
    for (const sdl of [named + tagged('tagged'), linkTo('v2.14') + tagged('federation__cacheTag')])
      expect(problemsOf(await composeSubgraphs([{ name: 'a', sdl }]))).toEqual([]);
  });

  test.each([
    [
      'a value of another type',
      '"@cacheTag"',
      'a: Int @cacheTag(format: 5)',
      /cacheTag\(format:\)" is not of its type/,
    ],
    ['a place of its own', '"@cacheTag"', 'a(b: Int @cacheTag(format: "b")): Int', /may not be used on ARGUMENT_DEF/],
    ['no import', '"@key"', 'a: Int @cacheTag(format: "b")', /Unknown directive "@cacheTag"/],
  ])('are refused where a cache tag has %s', async (_, imported, field, message) => {
    const sdl = `${linkTo('v2.12', imported)} type Query { ${field} }`;
    const problems = problemsOf(await composeSubgraphs([{ name: 'a', sdl }]));
    expect(problems[0]).toEqual({
      code: 'INVALID_GRAPHQL',
      message: expect.stringMatching(message),
      subgraphs: ['a'],
      places: [{ subgraph: 'a', line: 2 }],
    });
  });

  test('cannot have cache tags before version 2.12', async () => {
    const sdl = `${linkTo('v2.11', '"@cacheTag"')} type Query { a: Int @cacheTag(format: "a") }`;
    expect(problemsOf(await composeSubgraphs([{ name: 'a', sdl }]))).toMatchObject([
      { code: 'INVALID_LINK_DIRECTIVE_USAGE', message: expect.stringContaining('@cacheTag') },
    ]);
  });
});

describe('what is not supported is refused by its name', () => {
  test.each(['v2.99', 'v3.0'])('version %s', async (version) => {
    const sdl = `\n${linkTo(version, '"@key"')} type Query { a: Int }`;
    expect(problemsOf(await composeSubgraphs([{ name: 'a', sdl }]))).toEqual([
      {
        code: 'UNKNOWN_FEDERATION_LINK_VERSION',
        message: `it links to version ${version} of the federation specification, and v2.0 to v2.15 are supported`,
        subgraphs: ['a'],
        places: [{ subgraph: 'a', line: 2 }],
      },
    ]);
  });

  test('connectors', async () => {
    const sdl = `${linkTo('v2.10', '"@key"')}
      extend schema @link(url: "https://specs.apollo.dev/connect/v0.1", import: ["@connect", "@source"])
      type Query { a: Int @connect(http: { GET: "http://127.0.0.1/a" }, selection: "$") }`;
    expect(problemsOf(await composeSubgraphs([{ name: 'a', sdl }]))).toMatchObject([
      {
        code: 'UNSUPPORTED_FEATURE',
        message: expect.stringContaining('connectors (@connect, @source) are not supported'),
        places: [{ subgraph: 'a', line: 3 }],
      },
    ]);
  });

  test('only the subgraph that has it is left out', async () => {
    const one = await keep(apolloSubgraph('type Query { one: Int }', { Query: { one: () => 1 } }));
    const files = {
      'remote_schemas.yaml': [federated('one', one), federated('connected', one, { schema_file: 'connected.graphql' })],
      'connected.graphql': `${linkTo('v2.13')}
        extend schema @link(url: "https://specs.apollo.dev/connect/v0.4", import: ["@connect"]) type Query { two: Int }`,
    };
    const gateway = await keep(openEditedGateway(files, { issuer, waitUntilReady: false }));
    await until('the reason is reported', async () => {
      const { body } = await gateway.command('get_inconsistent_metadata');
      return JSON.stringify(body).includes('connectors (@connect, @source) are not supported');
    });
    expect((await gateway.graphql('{ one }', { token })).body).toEqual({ data: { one: 1 } });
  });
});

test('a supergraph composed elsewhere may have cache tags', async () => {
  const composed = await composeSubgraphs([{ name: 'a', sdl: `${linkTo('v2.8', '"@key"')} type Query { a: Int }` }]);
  const [schema = '', ...others] = 'supergraph' in composed ? composed.supergraph : [];
  const link = '@link(url: "https://specs.apollo.dev/cacheTag/v0.1", for: EXECUTION)';
  const tagged = schema.replace('schema ', `schema ${link} `);
  expect(tagged).toContain(link);
  const { schema: read } = await readSupergraph([tagged, ...others].join('\n\n'));
  expect(Object.keys(read.getQueryType()?.getFields() ?? {})).toEqual(['a']);
});
