import { mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { bearer, graphqlUpstream, keeper, openGateway, openIssuer, until } from '../harness/index.ts';
import { usageDirectory } from './usage-directory.ts';

const { keep, close } = keeper();
afterAll(close);

const issuer = await keep(openIssuer());
const shop = await keep(
  graphqlUpstream(
    `type Query { order(id: ID!, note: String): Order secret: String }
     type Mutation { cancel(id: ID!): Order }
     type Subscription { ticks: Int }
     type Order { id: ID! item: String broken: String }`,
    {
      Query: { order: (_: unknown, { id }: { id: string }) => ({ id, item: 'bolt' }), secret: () => 's' },
      Order: {
        broken: () => {
          throw new Error('broken');
        },
      },
    },
  ),
);
const metadata = {
  'remote_schemas.yaml': [
    {
      name: 'shop',
      definition: { url: shop.graphqlUrl },
      permissions: [
        {
          role: 'clerk',
          definition: {
            schema:
              'type Query { order(id: ID!, note: String): Order } type Mutation { cancel(id: ID!): Order } type Subscription { ticks: Int } type Order { id: ID! item: String broken: String }',
          },
        },
        { role: 'anonymous', definition: { schema: 'type Query { secret: String }' } },
      ],
    },
  ],
  'query_collections.yaml': [
    {
      name: 'saved',
      definition: { queries: [{ name: 'saved', query: 'query Saved($id: ID!) { order(id: $id) { id } }' }] },
    },
  ],
  'rest_endpoints.yaml': [
    {
      name: 'order',
      url: 'orders/:id',
      methods: ['GET'],
      definition: { query: { collection_name: 'saved', query_name: 'saved' } },
    },
  ],
};
/** What a caller has that must not be told of. */
const CANARY = 'canary-7f3a';
const token = issuer.token({
  role: 'clerk',
  roles: ['clerk'],
  hasura: { 'x-hasura-user-id': `${CANARY}-user`, 'x-hasura-tenant-id': `${CANARY}-tenant` },
});
const web = { 'apollographql-client-name': 'web', 'apollographql-client-version': '1.4' };
const ORDER = 'query Order($id: ID!) { order(id: $id) { item } }';

const open = async (environment: Record<string, string>) =>
  keep(openGateway({ issuer, metadata, environment: { PORTICO_USAGE_INTERVAL_SECONDS: '1', ...environment } }));

describe('a gateway with PORTICO_USAGE_DIR', () => {
  test('counts what clients run, by client, version and role, and none of their values', async () => {
    const directory = await keep(usageDirectory());
    const gateway = await open({ PORTICO_USAGE_DIR: directory.path });
    const variables = { id: CANARY };
    for (let i = 0; i < 3; i++) await gateway.graphql(ORDER, { token, variables, headers: web });
    await gateway.graphql(ORDER, { token, variables, headers: { 'graphql-client-name': 'app' } });
    await gateway.graphql(`{ ${CANARY.replace('-', '_')}: order(id: "${CANARY}", note: "${CANARY}") { broken } }`, {
      token,
    });
    await gateway.graphql('query Public { secret }');
    await gateway.send(`/api/rest/orders/${CANARY}`, { headers: bearer(token) });
    await gateway.send('/v1/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...bearer(token), ...web },
      body: JSON.stringify([{ query: ORDER, variables }, { query: 'mutation Cancel { cancel(id: 1) { id } }' }]),
    });
    // It fails, since the service has no events, but it was opened.
    await gateway.graphql('subscription Ticks { ticks }', { token, headers: { ...web, accept: 'text/event-stream' } });
    // None of these is run.
    await gateway.graphql('query Invalid { nowhere }', { token });
    await gateway.graphql(ORDER, { token, variables: {} });
    await gateway.graphql(ORDER, { variables });

    const expected = {
      'Order web 1.4 clerk': 4,
      'Order app clerk': 1,
      clerk: 1,
      'Public anonymous': 1,
      'Saved clerk': 1,
      'Cancel web 1.4 clerk': 1,
      'Ticks web 1.4 clerk': 1,
    };
    await until('all is written', () => Object.keys(directory.uses()).length === 7);
    await gateway.graphql(ORDER, { token, variables, headers: web });
    await gateway.close();
    // What was counted since the last time is written at the end.
    expect(directory.uses()).toEqual({ ...expected, 'Order web 1.4 clerk': 5 });
    const lines = directory.lines();
    expect(lines).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          kind: 'operation',
          type: 'query',
          name: 'Order',
          coordinates: ['Order', 'Order.item', 'Query.order', 'Query.order(id:)'],
        }),
        expect.objectContaining({ kind: 'uses', role: 'clerk', count: 1, errors: 1 }),
      ]),
    );
    expect([...directory.files().values()].join()).not.toMatch(/canary/i);
    // Nothing is left over from writing.
    expect(readdirSync(directory.path)).toEqual([...directory.files().keys()]);
  });

  test('goes on without a directory to write to, says so once, and writes everything when there is one', async () => {
    const directory = await keep(usageDirectory());
    // A file in the place of the directory, since tests may run as a user who may write anywhere.
    writeFileSync(directory.path, '');
    const gateway = await open({ PORTICO_USAGE_DIR: directory.path });
    const failures = () => gateway.logs().split('"usage.write_failed"').length - 1;
    await gateway.graphql(ORDER, { token, variables: { id: 1 }, headers: web });
    await until('it has noticed', () => failures() > 0);
    for (let i = 0; i < 2; i++) {
      const { body } = await gateway.graphql(ORDER, { token, variables: { id: 1 }, headers: web });
      expect(body.data).toEqual({ order: { item: 'bolt' } });
    }
    rmSync(directory.path);
    await until('it is written', () => gateway.logs().includes('"usage.write_recovered"'));
    expect(failures()).toBe(1);
    await gateway.close();
    expect(directory.uses()).toEqual({ 'Order web 1.4 clerk': 3 });
  });

  test('deletes what is older than it is to be kept, and nothing else', async () => {
    const directory = await keep(usageDirectory());
    mkdirSync(directory.path);
    const day = (daysAgo: number) => new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10);
    const fresh = `usage-${day(28)}-0123456789ab-1.jsonl`;
    const leftOver = '.usage-0123456789ab.tmp';
    const others = ['notes.jsonl', 'usage-2001-01-01-mine.jsonl', '.usage-ba9876543210.tmp', fresh];
    for (const name of [`usage-${day(32)}-0123456789ab-1.jsonl`, leftOver, ...others])
      writeFileSync(join(directory.path, name), '');
    const old = new Date(Date.now() - 2 * 86_400_000);
    utimesSync(join(directory.path, leftOver), old, old);
    await open({ PORTICO_USAGE_DIR: directory.path, PORTICO_USAGE_RETENTION_DAYS: '30' });
    // Beside its own.
    const left = () =>
      readdirSync(directory.path)
        .filter((name) => !name.startsWith(`usage-${day(0)}-`))
        .sort();
    await until('the old ones are gone', () => left().length === others.length);
    expect(left()).toEqual([...others].sort());
  });
});

test('a gateway without it counts nothing', async () => {
  const gateway = await open({});
  expect((await gateway.graphql(ORDER, { token, variables: { id: 1 } })).body.data).toEqual({
    order: { item: 'bolt' },
  });
  expect(gateway.logs()).not.toContain('usage.');
});

test('only what asks for it loads the code that counts', () => {
  const sources = readdirSync('gateway', { recursive: true, encoding: 'utf8' })
    // `operations/check/` is loaded by the command line, and by `operations/insight/` in a gateway that is asked for it.
    .filter((file) => file.endsWith('.ts') && !/^operations\/(usage|cli|check)\//.test(file))
    .flatMap((file) =>
      readFileSync(join('gateway', file), 'utf8')
        .split('\n')
        .filter((line) => line.includes('usage/index.ts'))
        .map((line) => [file, line.trim()] as const),
    );
  expect(sources.length).toBeGreaterThan(1);
  const loading = sources.filter(([, line]) => !line.startsWith('import type '));
  expect(loading).toEqual([
    ['process/configured-parts.ts', "const { openUsage } = await import('../operations/usage/index.ts');"],
  ]);

  const importers = (room: string) =>
    readdirSync('gateway', { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.startsWith(`operations/${room}/`))
      .filter((file) =>
        readFileSync(join('gateway', file), 'utf8')
          .split('\n')
          .some((line) => line.includes(`/${room}/index.ts'`) && /^(import (?!type )|\} from )/.test(line)),
      )
      .map((file) => file.split('/').slice(0, 2).join('/'));
  for (const room of importers('check')) expect(['operations/cli', 'operations/insight']).toContain(room);
  for (const room of importers('insight')) expect(room).toBe('operations/cli');
});
