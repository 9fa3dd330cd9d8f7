import { afterAll, describe, expect, test } from '@jest/globals';
import { keeper, openIssuer } from '../harness/index.ts';
import { apolloSubgraph, linked, productsResolvers, productsSdl } from './subgraphs.ts';
import { federated, openShop } from './world.ts';

const { keep, close } = keeper();
afterAll(close);
const issuer = await keep(openIssuer());
const token = issuer.token();

type Permissions = Readonly<Record<string, string>>;

/** A gateway whose subgraphs permit roles what their SDL lists. */
const permitting = (ofProducts?: Permissions, ofReviews?: Permissions) =>
  keep(
    openShop(issuer, (products, reviews) => [
      federated('products', products, {}, ofProducts),
      federated('reviews', reviews, {}, ofReviews),
    ]),
  );

/** A gateway whose subgraphs are customized. */
const customized = (ofReviews: object, ofProducts?: object) =>
  keep(
    openShop(issuer, (products, reviews) => [
      federated('products', products, ofProducts && { customization: ofProducts }),
      federated('reviews', reviews, { customization: ofReviews }),
    ]),
  );

const SOME_PRODUCTS = 'type Query { products: [Product!]! } type Product { upc: String! name: String }';

describe('a role', () => {
  test('sees the union of what the subgraphs permit it, and nothing else', async () => {
    const { gateway } = await permitting(
      { user: SOME_PRODUCTS },
      { user: 'type Product { reviews: [Review] } type Review { text: String }' },
    );
    const { body } = await gateway.graphql('{ products { name reviews { text } } }', { token });
    expect(body.data).toMatchObject({ products: [{ name: 'bolt', reviews: [{ text: 'holds' }] }, { name: 'nut' }] });
    for (const hidden of ['{ products { cost } }', '{ reviews { id } }', '{ product(upc: "1") { upc } }'])
      expect((await gateway.graphql(hidden, { token })).body.errors?.[0]?.extensions.code).toBe('validation-failed');
    const other = issuer.token({ role: 'guest', roles: ['guest'] });
    expect((await gateway.graphql('{ products { name } }', { token: other })).body.errors).toHaveLength(1);
  });

  test('sees all of a subgraph without permissions, but not the fields that it requires of another one', async () => {
    const { gateway } = await permitting({ user: SOME_PRODUCTS });
    const { body } = await gateway.graphql('{ reviews { id product { name } } }', { token });
    expect(body.data).toEqual({
      reviews: [
        { id: 'a', product: { name: 'bolt' } },
        { id: 'b', product: { name: 'nut' } },
      ],
    });
    expect((await gateway.graphql('{ reviews { product { cost } } }', { token })).body.errors).toHaveLength(1);
  });

  test('does not see a field because another subgraph needs it', async () => {
    const margins = await keep(
      apolloSubgraph(
        linked(`type Query { rate: Int }
          type Product @key(fields: "upc") {
            upc: String! cost: Int @external margin: Int @requires(fields: "cost")
          }`),
        { Product: { margin: ({ cost }: { cost: number }) => cost * 10 } },
      ),
    );
    const { gateway } = await keep(
      openShop(issuer, (products) => [
        federated('products', products, {}, { user: SOME_PRODUCTS }),
        federated('margins', margins),
      ]),
    );
    expect((await gateway.graphql('{ products { margin } }', { token })).body.data).toEqual({
      products: [{ margin: 20 }, { margin: 10 }],
    });
    expect((await gateway.graphql('{ products { cost } }', { token })).body.errors).toHaveLength(1);
  });

  test('of callers without a token sees only what names it in a permission', async () => {
    const { gateway } = await permitting({ anonymous: SOME_PRODUCTS });
    expect((await gateway.graphql('{ products { name } }')).body.data).toEqual({
      products: [{ name: 'bolt' }, { name: 'nut' }],
    });
    expect((await gateway.graphql('{ reviews { id } }')).status).toBe(401);
  });

  test('has its presets in whichever subgraph the field is', async () => {
    const { products, gateway } = await permitting({
      user: `type Query { products(first: Int @preset(value: "x-hasura-limit")): [Product!]! }
        type Product { upc: String! name: String }`,
    });
    const limited = issuer.token({ hasura: { 'x-hasura-limit': '1' } });
    const { body } = await gateway.graphql('{ products { name reviews { text } } }', { token: limited });
    expect(body.data).toEqual({ products: [{ name: 'bolt', reviews: [{ text: 'holds' }] }] });
    expect(products.asked()[0]?.query).toContain('first');
    expect((await gateway.graphql('{ products(first: 2) { name } }', { token: limited })).body.errors).toHaveLength(1);
  });

  test('cannot be permitted a field that the subgraph does not have, and the problem names file and line', async () => {
    const { products, reviews, gateway } = await permitting();
    const { status, text } = await gateway.edit({
      'remote_schemas.yaml': [
        federated('products', products),
        federated('reviews', reviews, {}, { user: 'type Product { upc: String! name: String }' }),
      ],
    });
    expect(status).toBe(400);
    expect(text).toMatch(
      /remote_schemas\.yaml:\d+ \[1\]\.permissions\[0\]\.definition\.schema: .*Product\.name.*does not exist/,
    );
    expect((await gateway.graphql('{ products { name } }', { token })).body.errors).toBeUndefined();
  });

  test('cannot be given two presets for one argument', async () => {
    const { products, reviews, gateway } = await permitting();
    const same = (value: string) => `type Query { shared(a: Int @preset(value: ${value})): Int }`;
    const shared = 'extend type Query { shared(a: Int): Int @shareable }';
    products.become(productsSdl + shared, productsResolvers);
    reviews.become(linked(`type Query { other: Int } ${shared}`));
    const { status, text } = await gateway.edit({
      'remote_schemas.yaml': [
        federated('products', products, {}, { user: same('1') }),
        federated('reviews', reviews, {}, { user: same('2') }),
      ],
    });
    expect(status).toBe(400);
    expect(text).toContain('another subgraph has a different one');
  });
});

describe('names', () => {
  test('of a subgraph can be customized in the graph', async () => {
    const { gateway } = await customized({
      type_names: { mapping: { Review: 'Opinion' } },
      field_names: [
        { parent_type: 'Query', prefix: 'shop_' },
        { parent_type: 'Review', mapping: { text: 'words' } },
      ],
    });
    const { body } = await gateway.graphql('{ shop_reviews { __typename words } products { reviews { words } } }', {
      token,
    });
    expect(body.data).toEqual({
      shop_reviews: [
        { __typename: 'Opinion', words: 'holds' },
        { __typename: 'Opinion', words: 'rusts' },
      ],
      products: [{ reviews: [{ words: 'holds' }] }, { reviews: [{ words: 'rusts' }] }],
    });
  });

  test('can be in a namespace that all subgraphs share', async () => {
    const customization = { root_fields_namespace: 'shop' };
    const { gateway } = await customized(customization, customization);
    const { body } = await gateway.graphql('{ shop { product(upc: "1") { name reviews { text } } } }', { token });
    expect(body.data).toEqual({ shop: { product: { name: 'bolt', reviews: [{ text: 'holds' }] } } });
  });

  test.each([
    ['a namespace of its own', { root_fields_namespace: 'own' }, 'all must have the same namespace'],
    ['another name for a shared type', { type_names: { prefix: 'R_' } }, 'also belongs to \\"products\\"'],
    [
      "another name for a scalar of GraphQL's own",
      { type_names: { mapping: { ID: 'ID', String: 'Text' } } },
      '\\"String\\" keeps its name in composed services',
    ],
  ])('cannot be %s', async (_, customization, reason) => {
    const { products, reviews, gateway } = await permitting();
    const { status, text } = await gateway.edit({
      'remote_schemas.yaml': [federated('products', products), federated('reviews', reviews, { customization })],
    });
    expect(status).toBe(400);
    expect(text).toContain(reason);
  });
});
