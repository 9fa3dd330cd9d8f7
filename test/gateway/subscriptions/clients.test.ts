import { afterAll, describe, expect, test } from '@jest/globals';
import { bearer, keeper, openGateway, openIssuer } from '../harness/index.ts';
import { legacyClient, type SubscribingClient, sseClient, wsClient } from './clients.ts';
import { type FeedService, graphqlWsService, mercuriusService, yogaService } from './services.ts';

const { keep, close } = keeper();
afterAll(close);

const issuer = await keep(openIssuer());
const services = {
  transport: await keep(graphqlWsService()),
  yoga: await keep(yogaService()),
  mercurius: await keep(mercuriusService()),
};

const CLIENTS: Readonly<Record<string, (url: string) => SubscribingClient | Promise<SubscribingClient>>> = {
  'graphql-transport-ws': (url) => wsClient(url, { headers: bearer(issuer.token()) }),
  'the graphql-ws of old': (url) => legacyClient(url, { headers: bearer(issuer.token()) }),
  'server-sent events': (url) => sseClient(url, bearer(issuer.token())),
};

const SOURCES: readonly [string, FeedService, object | undefined][] = [
  ['a service that speaks graphql-transport-ws', services.transport, undefined],
  ['a service that sends events', services.yoga, { protocol: 'sse' }],
  ['Mercurius', services.mercurius, {}],
  ['Mercurius by the old protocol', services.mercurius, { protocol: 'graphql-ws' }],
];

describe.each(SOURCES)('%s', (_, service, subscriptions) => {
  const { feed } = service;
  const gateway = keep(
    openGateway({
      issuer,
      metadata: {
        'remote_schemas.yaml': [
          { name: 'feed', definition: { url: service.url, ...(subscriptions && { subscriptions }) } },
        ],
      },
    }),
  );

  describe.each(Object.entries(CLIENTS))('a client over %s', (_, open) => {
    async function client() {
      return keep(Promise.resolve(open((await gateway).url)));
    }

    test('gets every event, in order, until it has had enough', async () => {
      const shop = await client();
      const placed = shop.subscribe('subscription { orderPlaced { id item status __typename } }');
      await feed.waitFor(1);
      feed.publish({ id: '1', item: 'bolt' });
      feed.publish({ id: '2', item: 'nut' });
      const order = (id: string, item: string) => ({
        data: { orderPlaced: { id, item, status: 'OPEN', __typename: 'Order' } },
      });
      expect(await placed.next()).toEqual(order('1', 'bolt'));
      expect(await placed.next()).toEqual(order('2', 'nut'));
      placed.stop();
      await feed.waitFor(0);
      await shop.close();
    });

    test('gets complete when the service has no more events', async () => {
      const shop = await client();
      const placed = shop.subscribe('subscription { orderPlaced { id } }');
      await feed.waitFor(1);
      feed.complete();
      expect(await placed.ended()).toBe('complete');
      await shop.close();
    });

    test('can send variables', async () => {
      const shop = await client();
      const count = shop.subscribe('subscription Count($to: Int!) { n: count(to: $to) { number } }', {
        variables: { to: 3 },
      });
      expect(await count.ended()).toBe('complete');
      expect(count.results).toEqual([1, 2, 3].map((number) => ({ data: { n: { number } } })));
      await shop.close();
    });

    test('can send queries and mutations as well', async () => {
      const shop = await client();
      const query = shop.subscribe('{ orderCount }');
      expect(await query.ended()).toBe('complete');
      expect(query.results).toEqual([{ data: { orderCount: 2 } }]);
      const mutation = shop.subscribe('mutation { rename(item: "nut") }');
      expect(await mutation.ended()).toBe('complete');
      expect(mutation.results).toEqual([{ data: { rename: 'renamed to nut' } }]);
      await shop.close();
    });

    test('gets the errors with which the service rejects a subscription', async () => {
      const shop = await client();
      const refused = shop.subscribe('subscription { refused { id } }');
      const end = await refused.ended();
      const errors = end === 'complete' ? refused.results[0]?.errors : end;
      expect(errors).toMatchObject([
        { message: expect.stringMatching(/not today|Unexpected/), extensions: { service: 'feed' } },
      ]);
      await shop.close();
    });
  });
});
