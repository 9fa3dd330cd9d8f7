import { afterEach, expect, test } from '@jest/globals';
import { readExposition } from '../prometheus.ts';
import { changingUpstream } from './harness/changing-upstream.ts';
import { openEditedGateway } from './harness/edited-gateway.ts';
import { freePort, keeper, openIssuer, reply, send, serve, until } from './harness/index.ts';

const { keep, close } = keeper();
afterEach(close);

const SHOP = 'type Query { item: String }';

/** A gateway before a shop, with its metrics. */
async function open(environment: Record<string, string> = {}) {
  const port = await freePort();
  const issuer = await keep(openIssuer());
  const shop = await keep(changingUpstream(SHOP, { Query: { item: () => 'bolt' } }));
  const permissions = [{ role: 'user', definition: { schema: SHOP } }];
  const remote = { name: 'shop', definition: { url: shop.graphqlUrl }, permissions };
  const gateway = await keep(
    openEditedGateway(
      { 'remote_schemas.yaml': [remote] },
      { issuer, environment: { PORTICO_METRICS_PORT: String(port), ...environment } },
    ),
  );
  const metric = async (name: string) =>
    readExposition((await send(`http://127.0.0.1:${port}/metrics`)).text).get(name);
  return { issuer, shop, remote, gateway, metric };
}

test('keys of tokens that cannot be refreshed show before a token of a newer key is refused', async () => {
  const { issuer, gateway, metric } = await open();
  expect(await metric('portico_token_keys')).toBe(2);
  expect(await metric('portico_ready')).toBe(1);
  await issuer.server.stop();
  // An unknown key makes the gateway ask for the keys.
  const token = issuer.token({ header: { kid: 'newer' } });
  await until('the keys are stale', async () => {
    await gateway.graphql('{ item }', { token });
    return (await metric('portico_token_keys')) === 1;
  });
  expect(await gateway.send('/readyz')).toMatchObject({ status: 200, body: { ready: true, token_keys: 'stale' } });
  expect(gateway.logged('token_keys.refresh_failed')).toHaveLength(1);

  await issuer.server.start();
  await until('the keys are known again', async () => (await metric('portico_token_keys')) === 2);
  expect(gateway.logged('token_keys.recovered')).toHaveLength(1);
});

test('the age of the list of revocations grows while it cannot be fetched', async () => {
  const feed = await keep(serve((_, response) => reply(response, 200, { cursor: '0', revocations: [] })));
  const { gateway, metric } = await open({
    PORTICO_REVOCATION_URL: `${feed.url}/revocations`,
    PORTICO_REVOCATION_INTERVAL_SECONDS: '1',
  });
  await feed.stop();
  await until('a fetch has failed', () => gateway.logged('revocations.fetch_failed').length > 0);
  const age = (await metric('portico_revocations_age_seconds')) ?? 0;
  expect(age).toBeGreaterThan(0.5);
  expect(await metric('portico_ready')).toBe(1);

  await feed.start();
  await until('it is fresh again', async () => ((await metric('portico_revocations_age_seconds')) ?? age) < age);
});

test('metadata that a reload refuses shows until other metadata is in use', async () => {
  const { gateway, remote, metric } = await open();
  expect(await metric('portico_metadata_refused')).toBe(0);
  await gateway.edit({ 'remote_schemas.yaml': [{ ...remote, definition: {} }] });
  expect(await metric('portico_metadata_refused')).toBe(1);
  await gateway.edit({ 'remote_schemas.yaml': [remote] });
  expect(await metric('portico_metadata_refused')).toBe(0);
});

test('a service whose changed schema cannot be used shows until it can', async () => {
  const { shop, gateway, metric } = await open();
  const failed = () => metric('portico_source_refresh_failed{source="shop"}');
  const shown = async () => {
    const { body } = await gateway.command('portico_get_sources');
    return (body as { items: readonly object[] }).items[0];
  };
  expect(await failed()).toBe(0);
  shop.become('type Query { item: Int }', {});
  for (let times = 0; times < 2; times++) await gateway.command('reload_metadata');
  expect(await failed()).toBe(1);
  expect(await metric('portico_source_schema{source="shop"}')).toBe(2);
  expect(await shown()).toMatchObject({ schema: 'open', reason: expect.stringContaining('"Query.item"') });
  expect(gateway.logged('remote_schema.refresh_failed')).toHaveLength(1);

  // A change of something else takes the state over.
  await gateway.command('reload_metadata', { reload_remote_schemas: false });
  expect(await failed()).toBe(1);

  shop.become(SHOP, { Query: { item: () => 'nut' } });
  await gateway.command('reload_metadata');
  expect(await failed()).toBe(0);
  expect(await shown()).toMatchObject({ schema: 'open', reason: null });
});
