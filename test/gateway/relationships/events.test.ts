import { makeExecutableSchema } from '@graphql-tools/schema';
import { afterAll, expect, test } from '@jest/globals';
import { bearer, keeper, openGateway, openIssuer } from '../harness/index.ts';
import { wsClient } from '../subscriptions/clients.ts';
import { openFeed } from '../subscriptions/feed.ts';
import { graphqlWsService } from '../subscriptions/services.ts';
import { joins, OWNER, usersService } from './world.ts';

const { keep, close } = keeper();
afterAll(close);

test('events have the fields that relationships join, fetched again for each event', async () => {
  const issuer = await keep(openIssuer());
  const users = await keep(usersService());
  const typeDefs =
    'type Query { count: Int } type Subscription { orderPlaced: Order } type Order { id: ID! owner_id: Int }';
  const feed = openFeed((events) =>
    makeExecutableSchema({ typeDefs, resolvers: { Subscription: { orderPlaced: { subscribe: () => events() } } } }),
  );
  const orders = await keep(graphqlWsService(feed));
  const gateway = await keep(
    openGateway({
      issuer,
      metadata: {
        'remote_schemas.yaml': [
          { name: 'orders', definition: { url: orders.url }, remote_relationships: [joins('Order', OWNER)] },
          { name: 'users', definition: { url: users.graphqlUrl } },
        ],
      },
    }),
  );
  const client = await keep(wsClient(gateway.url, { headers: bearer(issuer.token()) }));
  const placed = client.subscribe('subscription { placed: orderPlaced { id owner { name } } }');
  await feed.waitFor(1);
  users.forget();
  for (const id of ['1', '2']) {
    feed.publish({ id, owner_id: 7 });
    expect(await placed.next()).toEqual({ data: { placed: { id, owner: { name: 'user 7' } } } });
  }
  expect(users.operations()).toHaveLength(2);
  placed.stop();
  await feed.waitFor(0);
});
