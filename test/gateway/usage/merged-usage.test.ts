import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type UsageCommandOptions, usage } from '../../../gateway/operations/cli/usage/usage.ts';
import { readUsage } from '../../../gateway/operations/usage/index.ts';
import { type Process, run, start } from '../cli/portico.ts';
import { textOf } from '../cli/run-check.ts';
import {
  bearer,
  gatewayEnvironment,
  graphqlUpstream,
  keeper,
  openGateway,
  openIssuer,
  send,
  until,
} from '../harness/index.ts';
import { metadataDirectory } from '../harness/metadata-directory.ts';
import { type UsageDirectory, usageDirectory } from './usage-directory.ts';

const { keep, close } = keeper();
afterAll(close);

const issuer = await keep(openIssuer());
const token = issuer.token();
const shop = await keep(
  graphqlUpstream(
    'type Query { item: String price(in: String): Int never: Unused } type Unused { a: String } type Subscription { ticks: Int }',
    { Query: { item: () => 'bolt', price: () => 3 } },
  ),
);
const SDL = 'type Query { item: String price(in: String): Int never: Unused } type Unused { a: String }';
const metadataWith = (schema: string) => ({
  'remote_schemas.yaml': [
    {
      name: 'shop',
      definition: { url: shop.graphqlUrl },
      permissions: [{ role: 'user', definition: { schema } }],
    },
  ],
});

const ITEM = 'query Item { item }';
const PRICE = '{ price }';
const ofClient = (name: string, version: string) => ({
  'graphql-client-name': name,
  'graphql-client-version': version,
});

let directories: readonly UsageDirectory[];

/** The processes that wrote to a directory. */
const instances = (directory: UsageDirectory) =>
  new Set(directory.lines().flatMap(({ kind, instance }) => (kind === 'usage' ? [instance] : [])));

/** A gateway of two workers, as a process of its own, and another one in this process; each with a directory. */
beforeAll(async () => {
  const [first, second] = [await keep(usageDirectory()), await keep(usageDirectory())];
  directories = [first, second];
  const metadata = await keep(metadataDirectory(metadataWith(SDL)));
  const workers: Process = await keep(
    start(['serve', metadata.path, '--workers', '2'], {
      environment: {
        ...gatewayEnvironment(metadata.path, { issuer }),
        PORTICO_METADATA_WATCH: 'false',
        PORTICO_USAGE_DIR: first.path,
        PORTICO_USAGE_INTERVAL_SECONDS: '1',
      },
    }),
  );
  // Three processes start one after another, each within the patience of one.
  await until('the first worker listens', () => workers.written().includes('"service.ready"'));
  const port = await until(
    'all workers listen',
    () => /^.*"event":"workers\.ready".*"port":(\d+).*$/m.exec(workers.written())?.[1],
  );
  const url = `http://127.0.0.1:${port}`;
  await until('it is ready', async () => (await send(`${url}/readyz`)).status === 200);
  const ask = (query: string, headers: Record<string, string>) =>
    send(`${url}/v1/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...bearer(token), ...headers },
      body: JSON.stringify({ query }),
    });
  // Each on a connection of its own, which the workers take in turn.
  for (let i = 0; i < 20; i++) expect((await ask(ITEM, ofClient('web', '1.4'))).text).toBe('{"data":{"item":"bolt"}}');
  await until('both workers have written', () => instances(first).size === 2);
  workers.signal('SIGTERM');
  expect((await workers.ended).code).toBe(0);

  const gateway = await keep(
    openGateway({
      issuer,
      metadata: metadataWith(SDL),
      environment: {
        PORTICO_USAGE_DIR: second.path,
        PORTICO_USAGE_MAX_OPERATIONS: '10',
        PORTICO_USAGE_MAX_CLIENTS: '10',
      },
    }),
  );
  for (let i = 0; i < 3; i++) await gateway.graphql(ITEM, { token, headers: ofClient('web', '1.4') });
  await gateway.graphql(PRICE, { token });
  // Anybody can make up names.
  for (let i = 0; i < 100; i++)
    await gateway.graphql(`query Made_up_${i} { item }`, { token, headers: ofClient(`made up "\\${i}`, `${i}`) });
  await gateway.close();
}, 150_000);

test('each worker writes files of its own, and no made-up name more than the bounds', () => {
  const [first, second] = directories;
  expect(first?.uses()).toEqual({ 'Item web 1.4 user': 20 });
  const operations = second?.lines().filter(({ kind }) => kind === 'operation') ?? [];
  expect(operations).toHaveLength(11);
  const counts = Object.values(second?.uses() ?? {});
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(104);
});

describe('portico usage', () => {
  const paths = () => directories.map(({ path }) => path);
  const printed = async (options: Partial<UsageCommandOptions>) => {
    const lines: string[] = [];
    const complete = {
      paths: paths(),
      since: undefined,
      unused: undefined,
      schemas: undefined,
      limit: 50,
      json: false,
      environment: {},
      publicRole: 'anonymous',
      ...options,
    };
    await usage(complete, (text) => lines.push(text));
    return lines.join('\n');
  };
  const summary = async (options: Partial<UsageCommandOptions> = {}) =>
    JSON.parse(await printed({ json: true, ...options }));

  test('sums up what several gateways counted', async () => {
    const { code, stdout, stderr } = await run(['usage', ...paths(), '--operation', 'Item', '--since', '1d', '--json']);
    expect([code, stderr]).toEqual([0, '']);
    const found = JSON.parse(stdout);
    expect(found).toMatchObject({
      processes: 3,
      count: 23,
      unreadableLines: 0,
      operations: [{ type: 'query', name: 'Item', count: 23, errors: 0, clients: ['web 1.4'], roles: ['user'] }],
      clients: [{ client: 'web', version: '1.4', count: 23, operations: 1 }],
      coordinates: [{ coordinate: 'Query.item', count: 23, operations: 1, clients: ['web 1.4'] }],
    });
    expect((await summary()).count).toBe(124);
    expect((await summary({ since: Date.now() + 60_000 })).count).toBe(0);
    expect((await summary({ client: 'web', role: 'user', field: 'Query.item' })).count).toBe(23);
  });

  test('prints tables, and what of the metadata was not used', async () => {
    const metadata = await keep(metadataDirectory(metadataWith(SDL)));
    const stdout = await printed({ limit: 2, unused: metadata.path });
    expect(stdout).toMatch(/^usage from .* counted by 3 processes: 124 operations run$/m);
    expect(stdout).toMatch(/^operation +type +runs +errors +last +roles +clients$/m);
    expect(stdout).toMatch(/^other operations +other +\d+ +0 .* user +other$/m);
    expect(stdout).toMatch(/^Item +query +23 +0 .* user +web 1\.4$/m);
    expect(stdout).toMatch(/^and \d+ more: --limit \d+$/m);
    expect(stdout.split('\n').filter((line) => line.startsWith('unused'))).toEqual([
      'unused type: Unused',
      'unused field: Query.never',
      'unused field: Subscription.ticks',
      'unused argument: Query.price(in:)',
    ]);
  });

  test('leaves out what cannot be read, and says so', async () => {
    const directory = await keep(usageDirectory());
    const [from] = directories;
    const [text = ''] = from?.files().values() ?? [];
    const path = join(from?.path ?? '', '..', 'torn.jsonl');
    writeFileSync(path, text);
    appendFileSync(path, '{"kind":"uses","operation":"x","cou');
    const found = await summary({ paths: [path] });
    expect([found.unreadableLines, found.count]).toEqual([1, expect.any(Number)]);
    // The line may tell of the use of anything.
    await expect(printed({ paths: [path], unused: 'shop.graphql' })).rejects.toThrow(
      '--unused: unreadable usage lines: 1.',
    );
    expect(found.count).toBeGreaterThan(0);
    await expect(printed({ paths: [directory.path] })).rejects.toThrow(
      `usage cannot be read from ${directory.path} (ENOENT)`,
    );
  });

  test('weighs an edit of metadata for portico check', async () => {
    const [before, after] = await Promise.all([
      keep(metadataDirectory(metadataWith(SDL))),
      keep(metadataDirectory(metadataWith('type Query { price: Int }'))),
    ]);
    const now = Date.now();
    const recorded = readUsage(paths());
    const { code, text: stdout } = await textOf({
      location: after.path,
      against: before.path,
      usage: { usage: recorded, since: recorded.from ?? 0, now, allowUnused: true },
    });
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^breaking \(user\): Field 'item' was removed from object type 'Query'; used by .*client web 1\.4, operation Item, role user, 23 times since/m,
    );
    expect(stdout).toMatch(/^allowed \(user\): Field 'never' was removed from object type 'Query'; unused since/m);
    expect(stdout).toMatch(/^changes: 4, 4 of them breaking, 3 of them allowed because they are unused$/m);
  });
});
