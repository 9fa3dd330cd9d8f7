import { stitchingDirectives } from '@graphql-tools/stitching-directives';
import { afterAll, describe, expect, test } from '@jest/globals';
import {
  type GraphqlBody,
  type GraphqlUpstream,
  graphqlUpstream,
  keeper,
  openGateway,
  openIssuer,
} from '../harness/index.ts';

const { keep, close } = keeper();
afterAll(close);
const issuer = await keep(openIssuer());
const token = issuer.token();
const { allStitchingDirectivesTypeDefs } = stitchingDirectives();

const PRODUCTS: Record<string, object> = {
  1: { upc: '1', name: 'bolt', price: 5, weight: 2, cost: 1 },
  2: { upc: '2', name: 'nut', price: 3, weight: 1, cost: 1 },
};

const productsSdl = `${allStitchingDirectivesTypeDefs}
  type Query {
    products: [Product]
    productsByUpc(upcs: [ID!]!): [Product] @merge(keyField: "upc")
    _sdl: String!
  }
  type Product @canonical { upc: ID! name: String price(currency: String): Int weight: Int cost: Int }
`;

const stockSdl = `${allStitchingDirectivesTypeDefs}
  type Query {
    mostStocked: Product
    _products(keys: [ProductKey!]!): [Product] @merge
    _sdl: String!
  }
  input ProductKey { upc: ID! price: Int weight: Int }
  "What is in stock" type Product @key(selectionSet: "{ upc }") {
    upc: ID!
    inStock: Int
    shipping: Int @computed(selectionSet: "{ price weight }")
  }
`;

const schemaIn = ({ data }: GraphqlBody) => ({ ...data }).__schema as Record<string, unknown>;

type Key = { upc: string; price?: number; weight?: number };

async function openServices(definitions: { products?: object; stock?: object } = {}) {
  const products = await keep(
    graphqlUpstream(productsSdl, {
      Query: {
        products: () => Object.values(PRODUCTS),
        productsByUpc: (_, { upcs }: { upcs: string[] }) => upcs.map((upc) => PRODUCTS[upc]),
        _sdl: () => productsSdl,
      },
      Product: { price: ({ price }, { currency }) => (currency === 'cent' ? price * 100 : price) },
    }),
  );
  const stock = await keep(
    graphqlUpstream(stockSdl, {
      Query: {
        mostStocked: () => ({ upc: '2', inStock: 9 }),
        _products: (_, { keys }: { keys: Key[] }) =>
          keys.map((key) => ({ ...key, inStock: 7, shipping: (key.price ?? 0) * (key.weight ?? 0) })),
        _sdl: () => stockSdl,
      },
    }),
  );
  const service = (name: 'products' | 'stock', { graphqlUrl }: GraphqlUpstream) => ({
    name,
    definition: { url: graphqlUrl, composition: 'stitching' },
    ...definitions[name],
  });
  const metadata = { 'remote_schemas.yaml': [service('products', products), service('stock', stock)] };
  const gateway = await keep(openGateway({ issuer, metadata }));
  products.forget();
  stock.forget();
  return { products, stock, gateway };
}

describe('services with stitching directives', () => {
  test('have one type together, and its objects are fetched in one go', async () => {
    const { products, stock, gateway } = await openServices();
    const { body } = await gateway.graphql('{ products { name inStock } }', { token });
    expect(body).toEqual({
      data: {
        products: [
          { name: 'bolt', inStock: 7 },
          { name: 'nut', inStock: 7 },
        ],
      },
    });
    expect([products.operations().length, stock.operations().length]).toEqual([1, 1]);
    expect(stock.operations()[0]?.headers).toMatchObject({ 'x-hasura-role': 'user' });
  });

  test('get the fields of each other that computed fields need', async () => {
    const { gateway } = await openServices();
    const { body } = await gateway.graphql('{ mostStocked { name inStock shipping } }', { token });
    expect(body).toEqual({ data: { mostStocked: { name: 'nut', inStock: 9, shipping: 3 } } });
  });

  test('show clients no field that is there for the gateway, and describe a type by its canonical one', async () => {
    const { gateway } = await openServices();
    const { body } = await gateway.graphql(
      '{ __schema { queryType { fields { name } } types { name } } __type(name: "Product") { description } }',
      { token },
    );
    const { queryType, types } = schemaIn(body);
    expect(queryType).toEqual({
      fields: [{ name: 'products' }, { name: 'productsByUpc' }, { name: 'mostStocked' }],
    });
    expect(types).not.toContainEqual({ name: 'ProductKey' });
    expect(body.data?.__type).toEqual({ description: null });
  });

  test('keep types that no field of theirs leads to, which fragments may name', async () => {
    const searchSdl = `${allStitchingDirectivesTypeDefs}
      type Query { search: [Found] _sdl: String! }
      interface Found { id: ID! } type Product implements Found { id: ID! name: String }`;
    const cratesSdl = `${allStitchingDirectivesTypeDefs}
      type Query { crates: Int _boxes(keys: [BoxKey!]!): [Box] @merge _sdl: String! } input BoxKey { id: ID! }
      type Box @key(selectionSet: "{ id }") { id: ID! }
      interface Found { id: ID! } type Crate implements Found { id: ID! size: Size } enum Size { SMALL }`;
    const search = await keep(
      graphqlUpstream(searchSdl, {
        Query: { search: () => [{ __typename: 'Product', id: '1', name: 'bolt' }], _sdl: () => searchSdl },
      }),
    );
    const crates = await keep(graphqlUpstream(cratesSdl, { Query: { crates: () => 1, _sdl: () => cratesSdl } }));
    const stitched = (name: string, { graphqlUrl }: GraphqlUpstream) => ({
      name,
      definition: { url: graphqlUrl, composition: 'stitching' },
    });
    const metadata = { 'remote_schemas.yaml': [stitched('search', search), stitched('crates', crates)] };
    const gateway = await keep(openGateway({ issuer, metadata }));
    const { body } = await gateway.graphql('{ search { ... on Product { name } ... on Crate { size } } }', { token });
    expect(body).toEqual({ data: { search: [{ name: 'bolt' }] } });
    const { body: hidden } = await gateway.graphql('{ __type(name: "BoxKey") { name } }', { token });
    expect(hidden).toEqual({ data: { __type: null } });
  });

  test('permit a role the listed fields only, and still join by key fields that are not listed', async () => {
    const { gateway } = await openServices({
      products: {
        permissions: [
          { role: 'user', definition: { schema: 'type Query { products: [Product] } type Product { name: String }' } },
        ],
      },
      stock: { permissions: [{ role: 'user', definition: { schema: 'type Product { inStock: Int }' } }] },
    });
    const { body } = await gateway.graphql('{ products { name inStock } }', { token });
    expect(body).toEqual({
      data: {
        products: [
          { name: 'bolt', inStock: 7 },
          { name: 'nut', inStock: 7 },
        ],
      },
    });
    for (const hidden of ['{ products { cost } }', '{ products { upc } }', '{ mostStocked { inStock } }']) {
      const refused = await gateway.graphql(hidden, { token });
      expect(refused.body.errors?.[0]?.extensions.code).toBe('validation-failed');
    }
  });

  test('have presets put in where an object is fetched for the sake of another service', async () => {
    const { gateway } = await openServices({
      products: {
        permissions: [
          {
            role: 'user',
            definition: {
              schema:
                'type Query { products: [Product] } type Product { price(currency: String @preset(value: "cent")): Int }',
            },
          },
        ],
      },
    });
    const { body } = await gateway.graphql('{ mostStocked { inStock price } products { price } }', { token });
    expect(body).toEqual({
      data: { mostStocked: { inStock: 9, price: 300 }, products: [{ price: 500 }, { price: 300 }] },
    });
    expect((await gateway.graphql('{ products { price(currency: "euro") } }', { token })).body.errors).toHaveLength(1);
  });
});
