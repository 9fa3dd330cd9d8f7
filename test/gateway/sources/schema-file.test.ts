import { afterAll, expect, test } from '@jest/globals';
import { graphqlUpstream, keeper, openGateway, openIssuer, send, until } from '../harness/index.ts';

const { keep, close } = keeper();
afterAll(close);
const issuer = await keep(openIssuer());
const token = issuer.token();
const SDL = 'type Query { item(id: ID!): Item } "An item" type Item { id: ID! name: String price: Int }';

test('a service with a schema file is never introspected', async () => {
  const shop = await keep(
    graphqlUpstream(SDL.replace('price: Int', ''), { Query: { item: (_, { id }) => ({ id, name: 'bolt' }) } }),
  );
  const definition = { url: shop.graphqlUrl, schema_file: 'shop.graphql' };
  const metadata = { 'remote_schemas.yaml': [{ name: 'shop', definition }], 'shop.graphql': SDL };
  const gateway = await keep(openGateway({ issuer, metadata }));
  expect(shop.requests).toHaveLength(0);
  const { body } = await gateway.graphql('{ item(id: 1) { id name } }', { token });
  expect(body).toEqual({ data: { item: { id: '1', name: 'bolt' } } });
  // The file is taken at its word; what the service does not have is the service's to say.
  const wrong = await gateway.graphql('{ item(id: 1) { price } }', { token });
  expect(wrong.body.errors?.[0]).toMatchObject({ extensions: { service: 'shop' } });
});

test.each([
  ['no GraphQL', 'type Query {', 'Syntax Error'],
  ['of types that there are not', 'type Query { item: Item }', 'Unknown type "Item".'],
  [
    'no schema',
    'type Query { item: Item } interface Item { id: ID } type Bolt implements Item { name: String }',
    'Interface field Item.id expected but Bolt does not provide it.',
  ],
])('a file that is %s keeps the service out, and the log says why', async (_, sdl, reason) => {
  const metadata = {
    'remote_schemas.yaml': [{ name: 'shop', definition: { url: 'http://127.0.0.1:1', schema_file: 'shop.graphql' } }],
    'shop.graphql': sdl,
  };
  const gateway = await keep(openGateway({ issuer, metadata, waitUntilReady: false }));
  await until('it is logged', () => gateway.logs().replaceAll('\\"', '"').includes(reason));
  expect((await send(`${gateway.url}/healthz`)).text).toBe('WARN: inconsistent objects in schema');
});
