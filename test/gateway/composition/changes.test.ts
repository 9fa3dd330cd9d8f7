import { afterAll, describe, expect, test } from '@jest/globals';
import { keeper, openIssuer, until } from '../harness/index.ts';
import { apolloSubgraph, linked, productsResolvers, productsSdl } from './subgraphs.ts';
import { federated, openShop } from './world.ts';

const { keep, close } = keeper();
afterAll(close);
const issuer = await keep(openIssuer());
const token = issuer.token();

const OTHER_TEXT = linked('type Query { x: Int } type Review @key(fields: "id") { id: ID!\n text: Int }');

describe('a subgraph that does not compose with the others', () => {
  test('rejects a reload with the code, the subgraphs and the coordinates', async () => {
    const { products, reviews, gateway } = await keep(openShop(issuer));
    const { status, text } = await gateway.edit({
      'wrong.graphql': OTHER_TEXT,
      'remote_schemas.yaml': [
        federated('products', products),
        federated('reviews', reviews),
        federated('wrong', reviews, { schema_file: 'wrong.graphql' }),
      ],
    });
    expect(status).toBe(400);
    expect(text).toMatch(/remote_schemas\.yaml:\d+/);
    expect(text).toContain('FIELD_TYPE_MISMATCH');
    const plain = text.replaceAll('\\"', '"');
    expect(plain).toMatch(/line \d+ of the SDL of "reviews", line 4 of the SDL of "wrong"/);
    expect((await gateway.graphql('{ reviews { text } }', { token })).body.errors).toBeUndefined();
  });

  test('is left out at startup if it is the last in the metadata, and the others are served', async () => {
    const wrong = await keep(apolloSubgraph(OTHER_TEXT));
    const { gateway } = await keep(
      openShop(issuer, (products, reviews) => [
        federated('products', products),
        federated('reviews', reviews),
        federated('wrong', wrong),
      ]),
    );
    expect((await gateway.graphql('{ reviews { text product { name } } }', { token })).body.errors).toBeUndefined();
    expect(await gateway.health()).toBe('WARN: inconsistent objects in schema');
    const { body } = await gateway.command('get_inconsistent_metadata');
    expect(body.inconsistent_objects).toMatchObject([
      { name: 'wrong', reason: expect.stringContaining('FIELD_TYPE_MISMATCH') },
    ]);
    wrong.become(linked('type Query { x: Int }'), { Query: { x: () => 1 } });
    await until('it comes in, mended', async () => (await gateway.health()) === 'OK');
    expect((await gateway.graphql('{ x reviews { text } }', { token })).body.errors).toBeUndefined();
  });

  test('with SDL that does not parse is reported with the line', async () => {
    const { gateway } = await keep(
      openShop(
        issuer,
        (products) => [
          federated('products', products),
          federated('typo', { graphqlUrl: 'http://127.0.0.1:1' }, { schema_file: 'typo.graphql' }),
        ],
        { 'typo.graphql': 'type Query {\n  a Int\n}' },
      ),
    );
    const { body } = await gateway.command('get_inconsistent_metadata');
    expect(JSON.stringify(body)).toMatch(/typo.*INVALID_GRAPHQL.*line 2 of the SDL/);
  });

  test('conflicts with a plain service like any other', async () => {
    const { products, reviews, gateway } = await keep(openShop(issuer));
    const { status, text } = await gateway.edit({
      'remote_schemas.yaml': [
        federated('products', products),
        federated('reviews', reviews),
        { name: 'plain', definition: { url: products.graphqlUrl } },
      ],
    });
    expect(status).toBe(400);
    expect(text.replaceAll('\\"', '"')).toContain('is offered by "plain" and by "federation"');
  });
});

describe('a subgraph that is polled', () => {
  const often = { introspection_interval_seconds: 1 };
  const asked = () =>
    keep(
      openShop(issuer, (products, reviews) => [federated('products', products, often), federated('reviews', reviews)]),
    );

  test('is composed again when it has changed, and the log lists the changes', async () => {
    const { products, gateway } = await asked();
    products.become(productsSdl.replace('cost: Int', 'cost: Int colour: String'), productsResolvers);
    await until('the field is there', async () => {
      const { body } = await gateway.graphql('{ products { name colour reviews { text } } }', { token });
      return body.errors === undefined;
    });
    await until('the change is logged', () => gateway.logged('remote_schema.changed').length > 0);
    expect(gateway.logged('remote_schema.changed')).toMatchObject([
      { source: 'products', changes: [{ breaking: false, message: expect.stringContaining('colour') }] },
    ]);
  });

  test('keeps its schema when the new one does not compose', async () => {
    const { products, gateway } = await asked();
    products.become(linked('type Query { products: [Product] } type Product { upc: Int! }'));
    await until('it is logged', () => gateway.logged('remote_schema.refresh_failed').length > 0);
    expect(gateway.logs()).toContain('it cannot be composed');
    products.become(productsSdl, productsResolvers);
    expect((await gateway.graphql('{ products { name reviews { text } } }', { token })).body.errors).toBeUndefined();
  });
});

test('a subgraph that is removed from the metadata leaves the graph', async () => {
  const { products, gateway } = await keep(openShop(issuer));
  const { status } = await gateway.edit({ 'remote_schemas.yaml': [federated('products', products)] });
  expect(status).toBe(200);
  expect((await gateway.graphql('{ reviews { id } }', { token })).body.errors).toHaveLength(1);
  expect((await gateway.graphql('{ products { name } }', { token })).body.errors).toBeUndefined();
  expect((await gateway.edit({ 'remote_schemas.yaml': [] })).status).toBe(200);
  expect((await gateway.graphql('{ products { name } }', { token })).body.errors).toHaveLength(1);
});

test('composing many subgraphs does not delay operations', async () => {
  const { products, gateway } = await keep(openShop(issuer));
  const fields = Array.from({ length: 40 }, (_, field) => `field${field}(argument: Int): String`).join(' ');
  const large = Array.from({ length: 10 }, (_, index) => {
    const types = Array.from({ length: 20 }, (_, type) => `type T${index}_${type} { ${fields} }`).join('\n');
    const roots = Array.from({ length: 20 }, (_, type) => `t${index}_${type}: T${index}_${type}`).join(' ');
    return [`large${index}.graphql`, linked(`type Query { ${roots} }\n${types}`)] as const;
  });
  const { status } = await gateway.edit({
    ...Object.fromEntries(large),
    'remote_schemas.yaml': [
      federated('products', products),
      ...large.map(([file], index) => federated(`large${index}`, products, { schema_file: file })),
    ],
  });
  expect(status).toBe(200);
  const { body } = await gateway.graphql('{ products { name } __type(name: "T9_19") { name } }', { token });
  expect(body.data).toMatchObject({ products: [{ name: 'bolt' }, { name: 'nut' }], __type: { name: 'T9_19' } });
});
