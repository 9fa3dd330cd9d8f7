import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { textOf } from '../cli/run-check.ts';
import { apolloSubgraph, linked } from '../composition/subgraphs.ts';
import { federated } from '../composition/world.ts';
import { type ChangingUpstream, changingUpstream } from '../harness/changing-upstream.ts';
import { freePort, send, until } from '../harness/index.ts';
import {
  type Files,
  isWhole,
  remote,
  SHOP,
  shopAnswers,
  storedSchemasSuite,
  unavailable,
} from './stored-schemas-suite.ts';

const { keepForTest, start, directory, remember, stored, ask } = await storedSchemasSuite();

describe('what a file of a stored schema holds', () => {
  test('is the schema, by the description as it is written, without addresses or secrets', async () => {
    const shop = await keepForTest(changingUpstream(SHOP, shopAnswers));
    const url = `${shop.graphqlUrl}?key=address-password`;
    const headers = [{ name: 'x-key', value: 'header-secret' }];
    const files = { 'remote_schemas.yaml': [remote('a/b c', { graphqlUrl: url }, { headers })] };
    await remember(files, ['a%2Fb%20c']);
    expect(stored('a%2Fb%20c')).toMatch(/^# composition: plain\n# definition: [0-9a-f]{32}\ntype Query \{\n/);
    expect(stored('a%2Fb%20c')).not.toMatch(/address-password|header-secret|127\.0\.0\.1/);
    // Other secrets and another address by the same variable are the same service.
    const again = [{ name: 'x-key', value: 'another-secret' }];
    await shop.stop();
    const gateway = await keepForTest(
      start({ 'remote_schemas.yaml': [remote('a/b c', { graphqlUrl: url }, { headers: again })] }),
    );
    expect((await ask(gateway, '{ item { id } }')).body.errors).toEqual([unavailable('a/b c', 'item')]);
  });
});

describe('a directory of stored schemas', () => {
  let shop: ChangingUpstream;
  let files: Files;
  beforeEach(async () => {
    shop = await keepForTest(changingUpstream(SHOP, shopAnswers));
    files = { 'remote_schemas.yaml': [remote('shop', shop)] };
  });

  test.each<[string, string]>([
    ['no SDL', 'type Query {'],
    ['a schema that is none', 'type Query { item: Nothing }'],
    ['a schema without root types', 'type Item { id: ID }'],
    ['names that belong to GraphQL', 'type Query { __item: Int }'],
    ['nesting without an end', `type Query { item: ${'['.repeat(100_000)} }`],
  ])('with foreign content is harmless: %s', async (_, sdl) => {
    await remember(files, ['shop']);
    writeFileSync(join(directory(), 'shop.graphql'), [...stored('shop').split('\n').slice(0, 2), sdl].join('\n'));
    await shop.stop();
    const gateway = await keepForTest(start(files));
    expect((await ask(gateway, '{ item { id } }')).status).toBe(503);
    expect(gateway.logged('stored_schema.ignored')).toHaveLength(1);
    await shop.start();
    await isWhole(gateway);
    expect((await ask(gateway, '{ item { id } }')).body).toEqual({ data: { item: { id: 'i' } } });
    await until('it is put right', () => stored('shop').includes('type Item'));
  });

  test('is not blamed for a permission that is refused', async () => {
    await remember(files, ['shop']);
    const gateway = await keepForTest(start(files));
    await isWhole(gateway);
    const permissions = [{ role: 'user', definition: { schema: 'type Query { item [Item] }' } }];
    const { status } = await gateway.edit({ 'remote_schemas.yaml': [remote('shop', shop, {}, { permissions })] });
    expect(status).toBe(400);
    expect(gateway.logged('metadata.reload_failed')).toHaveLength(1);
    expect(gateway.logged('stored_schema.ignored')).toEqual([]);
  });

  test('that cannot be written is logged once, and nothing fails', async () => {
    const environment = { PORTICO_SCHEMA_DIR: '/dev/null/schemas' };
    const mail = await keepForTest(changingUpstream('type Query { letter: String }'));
    const gateway = await keepForTest(
      start({ 'remote_schemas.yaml': [remote('shop', shop), remote('mail', mail)] }, environment),
    );
    await isWhole(gateway);
    await until('it is logged', () => gateway.logged('stored_schema.write_failed').length > 0);
    await gateway.command('reload_metadata');
    expect((await ask(gateway, '{ item { id } }')).body).toEqual({ data: { item: { id: 'i' } } });
    expect(gateway.logged('stored_schema.write_failed')).toMatchObject([{ level: 'warn', reason: 'ENOTDIR' }]);
  });

  test('may be shared by gateways that start, stop and see other versions at once', async () => {
    const gateways = await Promise.all(Array.from({ length: 3 }, () => keepForTest(start(files))));
    await Promise.all(gateways.map(isWhole));
    for (let version = 0; version < 5; version++) {
      shop.become(`${SHOP} extend type Query { version${version}: Int }`, shopAnswers);
      await Promise.all(gateways.map((gateway) => gateway.command('reload_metadata')));
    }
    await until('the last one is stored', () => stored('shop').includes('version4'));
    await until('no write is left under way', () => readdirSync(directory()).join() === 'shop.graphql');
    for (const gateway of gateways) expect(gateway.logged('stored')).toEqual([]);
    await shop.stop();
    const late = await keepForTest(start(files));
    expect((await ask(late, '{ version4 }')).body.errors).toEqual([unavailable('shop', 'version4')]);
  });

  test('may be what portico check has recorded beside the metadata', async () => {
    const gateway = await keepForTest(start(files, { PORTICO_SCHEMA_DIR: '' }));
    expect(await textOf({ location: gateway.metadata.path, record: directory() })).toMatchObject({ code: 0 });
    await gateway.close();
    await shop.stop();
    const late = await keepForTest(start(files));
    expect((await ask(late, '{ item { id } }')).body.errors).toEqual([unavailable('shop', 'item')]);
    // And the check knows it, too.
    const { code, text } = await textOf({
      location: late.metadata.path,
      environment: { PORTICO_SCHEMA_DIR: directory() },
    });
    expect(code).toBe(1);
    expect(text).toContain('; a gateway that starts now uses its stored schema');
    expect(text).toContain('role admin: query item, mutation rename');
  });

  test('is shown in the metrics', async () => {
    await remember(files, ['shop']);
    await shop.stop();
    const down = await keepForTest(changingUpstream('type Query { letter: String }'));
    await down.stop();
    const up = await keepForTest(changingUpstream('type Query { parcel: String }'));
    const port = await freePort();
    await keepForTest(
      start(
        { 'remote_schemas.yaml': [remote('shop', shop), remote('down', down), remote('up', up)] },
        { PORTICO_METRICS_PORT: String(port) },
      ),
    );
    const { text } = await send(`http://127.0.0.1:${port}/metrics`);
    expect(text.split('\n').filter((line) => line.startsWith('portico_source'))).toEqual([
      'portico_sources_missing 2',
      'portico_source_schema{source="shop"} 1',
      'portico_source_schema{source="down"} 0',
      'portico_source_schema{source="up"} 2',
      'portico_source_refresh_failed{source="shop"} 0',
      'portico_source_refresh_failed{source="down"} 0',
      'portico_source_refresh_failed{source="up"} 0',
    ]);
  });
});

test('a gateway over many subgraphs is ready when all of them are in the graph, and not when the first one is', async () => {
  const subgraphs = await Promise.all(
    Array.from({ length: 12 }, (_, index) =>
      keepForTest(
        apolloSubgraph(linked(`type Query { at${index}: Int } type T${index} @key(fields: "id") { id: ID! }`), {
          Query: { [`at${index}`]: () => index },
        }),
      ),
    ),
  );
  const gateway = await keepForTest(
    start({ 'remote_schemas.yaml': subgraphs.map((one, index) => federated(`s${index}`, one)) }),
  );
  const { body } = await ask(gateway, `{ ${subgraphs.map((_, index) => `at${index}`).join(' ')} }`);
  expect(body).toEqual({ data: Object.fromEntries(subgraphs.map((_, index) => [`at${index}`, index])) });
});
