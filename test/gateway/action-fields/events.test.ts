import { makeExecutableSchema } from '@graphql-tools/schema';
import { afterAll, expect, test } from '@jest/globals';
import { bearer, keeper, openGateway, openIssuer, webhook } from '../harness/index.ts';
import { wsClient } from '../subscriptions/clients.ts';
import { openFeed } from '../subscriptions/feed.ts';
import { graphqlWsService } from '../subscriptions/services.ts';
import { answerEstimates, ESTIMATE, estimate } from './world.ts';

const { keep, close } = keeper();
afterAll(close);

test('events of a service have the fields that actions resolve, in one call for each event', async () => {
  const issuer = await keep(openIssuer());
  const hook = await keep(webhook(answerEstimates));
  const typeDefs =
    'type Query { count: Int } type Subscription { orderPlaced: Batch } type Batch { orders: [Order!] } type Order { id: ID! weight: Int }';
  const feed = openFeed((events) =>
    makeExecutableSchema({ typeDefs, resolvers: { Subscription: { orderPlaced: { subscribe: () => events() } } } }),
  );
  const orders = await keep(graphqlWsService(feed));
  const gateway = await keep(
    openGateway({
      issuer,
      environment: { HOOK_URL: hook.url },
      metadata: {
        'remote_schemas.yaml': [{ name: 'orders', definition: { url: orders.url } }],
        'actions.yaml': { actions: [estimate()] },
        'actions.graphql': ESTIMATE,
      },
    }),
  );
  const client = await keep(wsClient(gateway.url, { headers: bearer(issuer.token()) }));
  const placed = client.subscribe('subscription { orderPlaced { orders { id estimate { price } } } }');
  await feed.waitFor(1);
  for (const weight of [1, 2]) {
    feed.publish({
      orders: [
        { id: 'a', weight },
        { id: 'b', weight: 9 },
      ],
    });
    expect(await placed.next()).toEqual({
      data: {
        orderPlaced: {
          orders: [
            { id: 'a', estimate: { price: weight * 10 } },
            { id: 'b', estimate: { price: 90 } },
          ],
        },
      },
    });
  }
  expect(hook.requests).toHaveLength(2);
});
