import { afterAll, expect, test } from '@jest/globals';
import { openEditedGateway } from '../harness/edited-gateway.ts';
import { bearer, keeper, openIssuer, until } from '../harness/index.ts';
import { legacyClient, type Subscribed, type SubscribingClient, sseClient, wsClient } from './clients.ts';
import { graphqlWsService, yogaService } from './services.ts';

const { keep, close } = keeper();
afterAll(close);

const ROUNDS = 3;
const CLIENTS_EACH = 10;
const SUBSCRIPTIONS_EACH = 3;

/** Sockets and timers that this process has: the gateway, the services and the clients are all in it. */
function heldResources() {
  const held = { sockets: 0, timers: 0 };
  for (const resource of process.getActiveResourcesInfo()) {
    if (resource === 'TCPSocketWrap') held.sockets++;
    if (resource === 'Timeout') held.timers++;
  }
  return held;
}

test('hundreds of subscriptions come and go, through reloads and ends of tokens, and nothing of them is left', async () => {
  const issuer = await keep(openIssuer());
  const services = [await keep(graphqlWsService()), await keep(yogaService())];
  const [orders, parcels] = services;
  const unrelated = await keep(graphqlWsService());
  const metadata = (round: number) => ({
    'remote_schemas.yaml': [
      { name: 'orders', definition: { url: orders?.url } },
      {
        name: 'parcels',
        definition: {
          url: parcels?.url,
          subscriptions: { protocol: 'sse' },
          customization: { root_fields_namespace: 'parcels', type_names: { prefix: 'Parcel' } },
        },
      },
      {
        name: 'unrelated',
        definition: {
          url: unrelated.url,
          timeout_seconds: 10 + round,
          customization: { root_fields_namespace: 'unrelated', type_names: { prefix: 'Unrelated' } },
        },
      },
    ],
  });
  const gateway = await keep(openEditedGateway(metadata(0), { issuer }));
  const settled = async () => {
    // Connections that are kept for the next request are let go after a few seconds.
    await until('no connection to a service is left', () => services.every((one) => one.connections() === 0));
    return heldResources();
  };
  const before = await settled();

  let published = 0;
  const publishing = setInterval(() => {
    const id = String(++published);
    for (const { feed } of services) feed.publish({ id, item: 'bolt' });
  }, 5);
  await keep({ close: () => clearInterval(publishing) });
  const seen: number[][] = [];
  const ends = { byTheirToken: 0, others: [] as string[] };

  async function visit(
    open: (url: string, token: string) => SubscribingClient | Promise<SubscribingClient>,
    n: number,
  ) {
    // One in five has a token that ends under it.
    const isShort = n % 5 === 4;
    const exp = Math.floor(Date.now() / 1000) + (isShort ? 3 : 900);
    const client = await open(gateway.url, issuer.token({ payload: { exp } }));
    const subscriptions: Subscribed[] = [];
    for (let i = 0; i < SUBSCRIPTIONS_EACH; i++)
      subscriptions.push(
        client.subscribe(
          i % 2 === 0 ? 'subscription { orderPlaced { id } }' : 'subscription { parcels { orderPlaced { id } } }',
        ),
      );
    if (!isShort) for (const one of subscriptions) for (let event = 0; event < 5; event++) await one.next();
    if (isShort)
      for (const one of subscriptions) {
        const end = await one.ended();
        const errors = end === 'complete' ? one.results.at(-1)?.errors : end;
        const told = `${JSON.stringify(errors)} ${JSON.stringify((end as { code?: number }).code)} ${String(end)}`;
        // On a slow machine a token has expired before it is shown.
        if (/invalid-jwt|4403|401/.test(told)) ends.byTheirToken++;
        else ends.others.push(told);
      }
    // Some say that they have had enough, some just go.
    else if (n % 2 === 0) for (const one of subscriptions) one.stop();
    await client.close();
    for (const { results } of subscriptions) {
      const orders = results.flatMap(({ data }) => {
        const { parcels, orderPlaced } = (data ?? {}) as Record<string, { orderPlaced?: { id: string }; id?: string }>;
        return Number(parcels?.orderPlaced?.id ?? orderPlaced?.id ?? Number.NaN);
      });
      seen.push(orders.filter((id) => !Number.isNaN(id)));
    }
  }

  for (let round = 1; round <= ROUNDS; round++) {
    const visits = Array.from({ length: CLIENTS_EACH }, (_, n) => [
      visit((url, token) => wsClient(url, { headers: bearer(token) }), n),
      visit((url, token) => legacyClient(url, { headers: bearer(token) }), n),
      visit((url, token) => sseClient(url, bearer(token)), n),
    ]).flat();
    expect((await gateway.edit(metadata(round))).status).toBe(200);
    await Promise.all(visits);
  }
  clearInterval(publishing);

  const all = ROUNDS * CLIENTS_EACH * 3 * SUBSCRIPTIONS_EACH;
  expect(seen).toHaveLength(all);
  // Everybody got every event of the time that they were there, once and in order.
  for (const ids of seen) expect(ids).toEqual(ids.map((_, index) => (ids[0] ?? 0) + index));
  expect(ends).toEqual({ byTheirToken: all / 5, others: [] });

  for (const { feed } of services) await feed.waitFor(0);
  await until(
    'all connections are closed',
    () => gateway.logged('websocket.closed').length === ROUNDS * CLIENTS_EACH * 2,
  );
  const after = await settled();
  await until('no socket and no timer is left', () => {
    const now = heldResources();
    return now.sockets <= before.sockets && now.timers <= before.timers;
  }).catch(() => expect(after).toEqual(before));
  expect(gateway.logs()).not.toMatch(/unexpectedly/);
});
