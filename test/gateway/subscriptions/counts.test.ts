import { afterAll, expect, test } from '@jest/globals';
import { bearer, freePort, keeper, openGateway, openIssuer, send, until } from '../harness/index.ts';
import { sseClient, wsClient } from './clients.ts';
import { graphqlWsService } from './services.ts';

const { keep, close } = keeper();
afterAll(close);

const ORDERS = 'subscription { orderPlaced { id } }';

test('an operator sees how many subscriptions are open, and why others ended', async () => {
  const issuer = await keep(openIssuer());
  const service = await keep(graphqlWsService());
  const port = await freePort();
  const gateway = await keep(
    openGateway({
      issuer,
      environment: { PORTICO_METRICS_PORT: String(port) },
      metadata: { 'remote_schemas.yaml': [{ name: 'feed', definition: { url: service.url } }] },
    }),
  );
  const metrics = async () => {
    const { text } = await send(`http://127.0.0.1:${port}/metrics`);
    const values = text.matchAll(/^portico_subscriptions_(active|total|ended_total\{reason="\w+"\}) (\d+)$/gm);
    return Object.fromEntries([...values].map(([, name = '', value]) => [name, Number(value)]));
  };
  const ended = (reason: string) => `ended_total{reason="${reason}"}`;
  const untilCounted = (name: string, value: number) =>
    until(`${name} is ${value}`, async () => (await metrics())[name] === value);

  const socket = await keep(Promise.resolve(wsClient(gateway.url, { headers: bearer(issuer.token()) })));
  await socket.subscribe('subscription { count(to: 1) { number } }').ended();
  await untilCounted(ended('completed'), 1);

  const placed = socket.subscribe(ORDERS);
  await service.feed.waitFor(1);
  expect(await metrics()).toMatchObject({ active: 1, total: 2 });
  placed.stop();
  await untilCounted(ended('client'), 1);

  const stream = await keep(Promise.resolve(sseClient(gateway.url, bearer(issuer.token()))));
  stream.subscribe(ORDERS);
  await service.feed.waitFor(1);
  service.cut();
  await untilCounted(ended('failed'), 1);

  const exp = Math.floor(Date.now() / 1000) + 2;
  const soon = bearer(issuer.token({ payload: { exp } }));
  const expiring = await keep(Promise.resolve(wsClient(gateway.url, { headers: soon })));
  expiring.subscribe(ORDERS);
  await untilCounted(ended('credentials'), 1);
  expect(await metrics()).toEqual({
    active: 0,
    total: 4,
    [ended('completed')]: 1,
    [ended('client')]: 1,
    [ended('failed')]: 1,
    [ended('credentials')]: 1,
    [ended('reload')]: 0,
    [ended('shutdown')]: 0,
  });
});
