import { afterAll, describe, expect, test } from '@jest/globals';
import { openEditedGateway } from '../harness/edited-gateway.ts';
import { bearer, keeper, openIssuer, until } from '../harness/index.ts';
import { sseClient, wsClient } from '../subscriptions/clients.ts';
import { graphqlWsService } from '../subscriptions/services.ts';
import { FREE, IS_PRO, PRO } from './shop.ts';

const { keep, close } = keeper();
afterAll(close);
const issuer = await keep(openIssuer());
const service = await keep(graphqlWsService());
const CODE = 'session-condition-failed';
const SDL =
  'type Query { orderCount: Int! } type Subscription { orderPlaced(item: String): Order! } type Order { id: ID! item: String! buyer: String }';
const remote = (...fields: string[]) => ({
  'remote_schemas.yaml': [
    {
      name: 'feed',
      definition: { url: service.url, subscriptions: { share: 'events' } },
      permissions: [
        {
          role: 'user',
          definition: { schema: SDL },
          ...(fields.length > 0 && { session_conditions: [{ fields, condition: { ...IS_PRO } }] }),
        },
      ],
    },
  ],
});
const gateway = await keep(openEditedGateway(remote('Order.buyer'), { issuer }));
await gateway.ready();
const tokenOf = (hasura: object) => issuer.token({ role: 'user', roles: ['user'], hasura: { ...hasura } });
const WITH_BUYER = 'subscription { orderPlaced { id mine: buyer } }';
const ORDER = { id: '1', item: 'bolt', status: 'OPEN', buyer: 'me' };

describe('a subscription with a conditional field', () => {
  test('is refused at its start, before the service is called', async () => {
    const socket = wsClient(gateway.url, { headers: bearer(tokenOf(FREE)) });
    const stream = sseClient(gateway.url, bearer(tokenOf(FREE)));
    for (const client of [socket, stream]) {
      const subscribed = client.subscribe(WITH_BUYER);
      const told = JSON.stringify([await subscribed.ended(), subscribed.results]);
      expect(told).toContain(`"code":"${CODE}"`);
      expect(told).toContain('"path":["orderPlaced","mine"]');
    }
    expect(service.feed.open).toBe(0);
    // The connection goes on.
    const other = socket.subscribe('{ orderCount }');
    expect((await other.next()).errors).toBeUndefined();
    await socket.close();
    await stream.close();
  });

  test('is not shared with a session that does not meet the condition', async () => {
    const pro = wsClient(gateway.url, { headers: bearer(tokenOf(PRO)) });
    const free = wsClient(gateway.url, { headers: bearer(tokenOf(FREE)) });
    const subscribed = pro.subscribe(WITH_BUYER);
    await service.feed.waitFor(1);
    expect(JSON.stringify(await free.subscribe(WITH_BUYER).ended())).toContain(CODE);
    service.feed.publish(ORDER);
    expect((await subscribed.next()).data).toEqual({ orderPlaced: { id: '1', mine: 'me' } });
    subscribed.stop();
    await pro.close();
    await free.close();
  });

  test('that becomes conditional by a reload ends, and cannot begin again', async () => {
    const client = wsClient(gateway.url, { headers: bearer(tokenOf(FREE)) });
    const subscribed = client.subscribe('subscription { orderPlaced { id item } }');
    await until('the service has the subscription', () => service.feed.open > 0);
    await gateway.edit(remote('Order.buyer', 'Order.item'));
    expect(JSON.stringify(await subscribed.ended())).toContain('schema-reload');
    const again = client.subscribe('subscription { orderPlaced { id item } }');
    expect(JSON.stringify(await again.ended())).toContain(CODE);
    await client.close();
  });
});
