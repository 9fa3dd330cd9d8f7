import { stitchingDirectives } from '@graphql-tools/stitching-directives';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { productsSubgraph, reviewsSubgraph } from '../composition/subgraphs.ts';
import { federated } from '../composition/world.ts';
import { type GraphqlBody, graphqlUpstream, keeper, openGateway, openIssuer } from '../harness/index.ts';
import { FREE, IS_PRO, PRO } from './shop.ts';

const { keep, close } = keeper();
afterAll(close);
const issuer = await keep(openIssuer());
const CODE = 'session-condition-failed';
const pathsOf = ({ errors = [] }: GraphqlBody) =>
  errors.map(({ path, message, extensions }) => (extensions.code === CODE ? path?.join('.') : message));

async function openWith(remotes: readonly object[], files: Record<string, unknown> = {}, environment = {}) {
  const gateway = await keep(
    openGateway({ issuer, environment, metadata: { 'remote_schemas.yaml': remotes, ...files } }),
  );
  return async (query: string, hasura: object, role = 'user') => {
    const token = issuer.token({ role, roles: [role], hasura: { ...hasura } });
    return (await gateway.graphql(query, { token })).body;
  };
}

const conditions = (...fields: string[]) => ({ session_conditions: [{ fields, condition: IS_PRO }] });

describe('a service with other names', () => {
  const sdl = /* GraphQL */ `
    schema { query: ShopQuery mutation: ShopMutation }
    type ShopQuery { shop: Int secret: Int order: Order }
    type ShopMutation { cancel: Int }
    type Order { id: Int margin: Int }
  `;
  const permission = (schema: string, ...fields: string[]) => ({
    permissions: [{ role: 'user', definition: { schema }, ...conditions(...fields) }],
  });
  const part = (query: string, mutation: string) =>
    `schema { query: ${query} mutation: ${mutation} } type ${query} { shop: Int secret: Int order: Order } type ${mutation} { cancel: Int } type Order { id: Int margin: Int }`;

  test.each<[string, object, Record<string, string>, object]>([
    [
      'in a permission with its own root types',
      permission(part('ShopQuery', 'ShopMutation'), 'ShopQuery.secret', 'ShopMutation.cancel', 'Order.margin'),
      {},
      {},
    ],
    [
      'in a permission with the usual root types',
      permission(part('Query', 'Mutation'), 'Query.secret', 'Mutation.cancel', 'Order.margin'),
      {},
      {},
    ],
    [
      'whose names are customized',
      permission(part('Query', 'Mutation'), 'Query.secret', 'Mutation.cancel', 'Order.margin'),
      {
        type_names: { prefix: 'My', mapping: { Order: 'Purchase' } },
        field_names: [
          { parent_type: 'ShopQuery', mapping: { secret: 'hidden' } },
          { parent_type: 'Order', prefix: 'x_' },
        ],
      } as unknown as Record<string, string>,
      {},
    ],
    [
      'in a namespace',
      permission(part('Query', 'Mutation'), 'Query.secret', 'Mutation.cancel', 'Order.margin'),
      { root_fields_namespace: 'shop' },
      {},
    ],
    [
      'for clients with other root types',
      permission(part('Query', 'Mutation'), 'Query.secret', 'Mutation.cancel', 'Order.margin'),
      {},
      { PORTICO_ROOT_TYPE_NAMES: 'hasura' },
    ],
  ])('has its conditions %s', async (title, permissions, customization, environment) => {
    const shop = await keep(
      graphqlUpstream(sdl, {
        ShopQuery: { shop: () => 1, secret: () => 2, order: () => ({ id: 3, margin: 4 }) },
        ShopMutation: { cancel: () => 5 },
      }),
    );
    const isCustomized = title.includes('customized');
    const ask = await openWith(
      [
        {
          name: 'shop',
          definition: { url: shop.graphqlUrl, ...(Object.keys(customization).length > 0 && { customization }) },
          ...permissions,
        },
      ],
      {},
      environment,
    );
    shop.forget();
    const [secret, margin, id] = isCustomized ? ['hidden', 'x_margin', 'x_id'] : ['secret', 'margin', 'id'];
    const inNamespace = (text: string) => (customization.root_fields_namespace ? `{ shop ${text} }` : text);
    const prefix = customization.root_fields_namespace ? 'shop.' : '';
    expect(pathsOf(await ask(inNamespace(`{ ${secret} shop order { ${margin} } }`), FREE))).toEqual([
      `${prefix}${secret}`,
      `${prefix}order.${margin}`,
    ]);
    expect(pathsOf(await ask(`mutation ${inNamespace('{ cancel }')}`, FREE))).toEqual([`${prefix}cancel`]);
    expect(shop.requests).toEqual([]);
    expect(pathsOf(await ask(inNamespace(`{ shop order { ${id} } }`), FREE))).toEqual([]);
    expect(pathsOf(await ask(inNamespace(`{ ${secret} order { ${margin} } }`), PRO))).toEqual([]);
    expect(pathsOf(await ask(`mutation ${inNamespace('{ cancel }')}`, PRO))).toEqual([]);
    if (environment !== undefined && Object.keys(environment).length > 0)
      expect(pathsOf(await ask('{ ... on query_root { secret } }', FREE))).toEqual(['secret']);
  });
});

const products = await keep(productsSubgraph());
const reviews = await keep(reviewsSubgraph());

describe('composed subgraphs', () => {
  beforeEach(() => {
    products.forget();
    reviews.forget();
  });
  const PRODUCTS = 'type Query { products: [Product!]! } type Product { upc: String! name: String price: Int }';
  const REVIEWS = 'type Product { upc: String! reviews: [Review] } type Review { id: ID! }';
  const shop = (ofProducts: object, ofReviews: object) => {
    const withConditions = (remote: ReturnType<typeof federated>, more: object) => ({
      ...remote,
      permissions: (remote.permissions ?? []).map((permission, index) => ({ ...permission, ...(index === 0 && more) })),
    });
    return [
      withConditions(federated('products', products, {}, { user: PRODUCTS, peer: PRODUCTS }), ofProducts),
      withConditions(federated('reviews', reviews, {}, { user: REVIEWS, peer: REVIEWS }), ofReviews),
    ];
  };

  test('have the conditions of each of them, and none for keys that only the gateway fetches', async () => {
    const ask = await openWith(shop(conditions('Product.price', 'Product.upc'), conditions('Product.reviews')));
    expect(pathsOf(await ask('{ products { price reviews { id } } }', FREE))).toEqual([
      'products.price',
      'products.reviews',
    ]);
    expect([...products.asked(), ...reviews.asked()]).toEqual([]);
    expect(pathsOf(await ask('{ products { name price reviews { id } } }', PRO))).toEqual([]);
    expect(pathsOf(await ask('{ products { name price reviews { id } } }', FREE, 'peer'))).toEqual([]);
  });

  test('fetch a key although its field has a condition', async () => {
    const ask = await openWith(shop(conditions('Product.upc'), {}));
    const { data, errors } = await ask('{ products { reviews { id } } }', FREE);
    expect(errors).toBeUndefined();
    expect(data?.products).toHaveLength(2);
    expect(pathsOf(await ask('{ products { upc } }', FREE))).toEqual(['products.upc']);
  });

  test('all conditions of a field that several of them have must hold', async () => {
    const isOld = [{ fields: ['Product.upc'], condition: { 'x-hasura-age': { _gt: 5 } } }];
    const ask = await openWith(shop(conditions('Product.upc'), { session_conditions: isOld }));
    const query = '{ products { upc } }';
    expect(pathsOf(await ask(query, PRO))).toEqual(['products.upc']);
    expect(pathsOf(await ask(query, { 'x-hasura-age': 6 }))).toEqual(['products.upc']);
    expect(pathsOf(await ask(query, { ...PRO, 'x-hasura-age': 6 }))).toEqual([]);
  });
});

test('a composed supergraph has conditions', async () => {
  const service = await keep(
    graphqlUpstream('type Query { open: Int closed: Int }', { Query: { open: () => 1, closed: () => 2 } }),
  );
  const supergraph = `
    schema @link(url: "https://specs.apollo.dev/link/v1.0") @link(url: "https://specs.apollo.dev/join/v0.3", for: EXECUTION) { query: Query }
    directive @join__graph(name: String!, url: String!) on ENUM_VALUE
    directive @join__type(graph: join__Graph!, key: join__FieldSet, extension: Boolean! = false, resolvable: Boolean! = true, isInterfaceObject: Boolean! = false) repeatable on OBJECT | INTERFACE | UNION | ENUM | INPUT_OBJECT | SCALAR
    directive @join__field(graph: join__Graph, requires: join__FieldSet, provides: join__FieldSet, type: String, external: Boolean, override: String, usedOverridden: Boolean) repeatable on FIELD_DEFINITION | INPUT_FIELD_DEFINITION
    directive @link(url: String, as: String, for: link__Purpose, import: [link__Import]) repeatable on SCHEMA
    scalar join__FieldSet scalar link__Import enum link__Purpose { SECURITY EXECUTION }
    enum join__Graph { SHOP @join__graph(name: "shop", url: "${service.graphqlUrl}") }
    type Query @join__type(graph: SHOP) { open: Int @join__field(graph: SHOP) closed: Int @join__field(graph: SHOP) }`;
  const ask = await openWith(
    [
      {
        name: 'all',
        definition: { composition: 'federation', supergraph_file: 'shop.graphql' },
        permissions: [
          {
            role: 'user',
            definition: { schema: 'type Query { open: Int closed: Int }' },
            ...conditions('Query.closed'),
          },
        ],
      },
    ],
    { 'shop.graphql': supergraph },
  );
  expect(await ask('{ open }', FREE)).toEqual({ data: { open: 1 } });
  expect(pathsOf(await ask('{ open closed }', FREE))).toEqual(['closed']);
  expect(service.operations()).toHaveLength(1);
  expect(await ask('{ open closed }', PRO)).toEqual({ data: { open: 1, closed: 2 } });
});

const { allStitchingDirectivesTypeDefs } = stitchingDirectives();
const catalogueSdl = `${allStitchingDirectivesTypeDefs}
  type Query { products: [Product] productsByUpc(upcs: [ID!]!): [Product] @merge(keyField: "upc") _sdl: String! }
  type Product { upc: ID! name: String price: Int }`;
const stockSdl = `${allStitchingDirectivesTypeDefs}
  type Query { _products(keys: [ProductKey!]!): [Product] @merge _sdl: String! }
  input ProductKey { upc: ID! price: Int }
  type Product @key(selectionSet: "{ upc }") { upc: ID! inStock: Int shipping: Int @computed(selectionSet: "{ price }") }`;
const PRODUCT = { upc: '1', name: 'bolt', price: 5 };
const catalogue = await keep(
  graphqlUpstream(catalogueSdl, {
    Query: { products: () => [PRODUCT], productsByUpc: () => [PRODUCT], _sdl: () => catalogueSdl },
  }),
);
type Key = { upc: string; price?: number };
const stock = await keep(
  graphqlUpstream(stockSdl, {
    Query: {
      _products: (_: unknown, { keys }: { keys: Key[] }) =>
        keys.map(({ upc, price = 0 }) => ({ upc, inStock: 7, shipping: price * 2 })),
      _sdl: () => stockSdl,
    },
  }),
);
const stitched = (name: string, url: string, schema: string, ...fields: string[]) => ({
  name,
  definition: { url, composition: 'stitching' },
  permissions: [{ role: 'user', definition: { schema }, ...(fields.length > 0 && conditions(...fields)) }],
});
const askStitched = await openWith([
  stitched(
    'products',
    catalogue.graphqlUrl,
    'type Query { products: [Product] } type Product { upc: ID! name: String price: Int }',
    'Product.price',
  ),
  stitched('stock', stock.graphqlUrl, 'type Product { upc: ID! inStock: Int shipping: Int }', 'Product.inStock'),
]);

describe('stitched services', () => {
  beforeEach(() => {
    catalogue.forget();
    stock.forget();
  });

  test('have the conditions of each of them', async () => {
    expect(pathsOf(await askStitched('{ products { name inStock price } }', FREE))).toEqual([
      'products.inStock',
      'products.price',
    ]);
    expect([...catalogue.requests, ...stock.requests]).toEqual([]);
    expect(await askStitched('{ products { name inStock price } }', PRO)).toEqual({
      data: { products: [{ name: 'bolt', inStock: 7, price: 5 }] },
    });
  });

  test('fetch what a computed field needs although it has a condition', async () => {
    expect(await askStitched('{ products { shipping } }', FREE)).toEqual({ data: { products: [{ shipping: 10 }] } });
  });
});

test('services that join an interface’s types refuse a field that one of them states a condition of', async () => {
  const sdl =
    'interface Node { id: ID cost: Int } type A implements Node { id: ID cost: Int } type B implements Node { id: ID cost: Int }';
  const service = await keep(
    graphqlUpstream(`type Query { node: Node a: A b: B } ${sdl}`, {
      Query: { node: () => ({ __typename: 'A', cost: 1 }), a: () => ({ cost: 1 }), b: () => ({ cost: 2 }) },
      Node: { __resolveType: ({ __typename }: { __typename: string }) => __typename },
    }),
  );
  const remote = (...fields: string[]) => [
    {
      name: 'nodes',
      definition: { url: service.graphqlUrl },
      permissions: [
        {
          role: 'user',
          definition: { schema: `type Query { node: Node a: A b: B } ${sdl}` },
          ...conditions(...fields),
        },
      ],
    },
  ];
  const ofInterface = await openWith(remote('Node.cost'));
  for (const query of ['{ node { cost } }', '{ a { cost } }', '{ b { cost } }', '{ node { ... on B { cost } } }'])
    expect(pathsOf(await ofInterface(query, FREE))).toHaveLength(1);
  const ofType = await openWith(remote('B.cost'));
  expect(pathsOf(await ofType('{ node { cost } }', FREE))).toEqual(['node.cost']);
  expect(pathsOf(await ofType('{ a { cost } node { ... on A { cost } } }', FREE))).toEqual([]);
});
