import { afterAll, expect, test } from '@jest/globals';
import { graphqlUpstream, keeper, openGateway, openIssuer } from '../harness/index.ts';
import { joins, OWNER, ordersService, usersService } from '../relationships/world.ts';

const { keep, close } = keeper();
afterAll(close);
const issuer = await keep(openIssuer());
const token = issuer.token();
const media = await keep(
  graphqlUpstream('type Query { media: Media } interface Media { id: ID! } type Film implements Media { id: ID! }', {
    Query: { media: () => ({ __typename: 'Film', id: 'f1' }) },
    Media: { __resolveType: () => 'Film' },
  }),
);
const orders = await keep(ordersService());
const users = await keep(usersService());

async function ask(query: string, customization?: object) {
  const remotes = [
    { name: 'media', definition: { url: media.graphqlUrl, ...(customization && { customization }) } },
    {
      name: 'orders',
      definition: { url: orders.graphqlUrl },
      remote_relationships: [joins('Order', OWNER)],
    },
    { name: 'users', definition: { url: users.graphqlUrl } },
  ];
  const gateway = await keep(openGateway({ issuer, metadata: { 'remote_schemas.yaml': remotes } }));
  return (await gateway.graphql(query, { token })).body;
}

test('__typename under an alias is the graph’s name, also where the service has another one', async () => {
  const renamed = { type_names: { prefix: 'My' } };
  const alone = '{ media { __isMedia: __typename id } }';
  expect(await ask(alone)).toEqual({ data: { media: { __isMedia: 'Film', id: 'f1' } } });
  expect(await ask(alone, renamed)).toEqual({ data: { media: { __isMedia: 'MyFilm', id: 'f1' } } });
  const beside = '{ media { __isMedia: __typename } order(id: 1) { kind: __typename owner { kind: __typename } } }';
  expect(await ask(beside, renamed)).toEqual({
    data: { media: { __isMedia: 'MyFilm' }, order: { kind: 'Order', owner: { kind: 'User' } } },
  });
});
