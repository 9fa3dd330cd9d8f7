import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { keeper } from '../harness/index.ts';
import { type MetadataDirectory, metadataDirectory } from '../harness/metadata-directory.ts';
import { reportOf } from './run-check.ts';
import { environmentOf, FILES, FOR_CLERKS, openShop } from './shop-metadata.ts';

const { keep, close } = keeper();
afterAll(close);
const { keep: keepForTest, close: closeAfterTest } = keeper();
afterEach(closeAfterTest);

const environment = environmentOf(await keep(openShop()));

const open = (files: Record<string, unknown> = FILES): Promise<MetadataDirectory> =>
  keepForTest(metadataDirectory(files));

describe('a check against other metadata', () => {
  async function compare(changed: Record<string, unknown>) {
    const before = await open();
    const after = await open({ ...FILES, ...changed });
    const { code, report } = await reportOf({ location: after.path, against: before.path, environment });
    return {
      code,
      changes: report.changes?.map(({ breaking, message, roles }) => [breaking, message, ...(roles ?? [])]),
      report,
    };
  }
  const withPermissions = (permissions: unknown) => ({
    'remote_schemas.yaml': [{ ...FILES['remote_schemas.yaml'][0], permissions }],
  });

  test('finds nothing where nothing has changed', async () => {
    expect(await compare({})).toMatchObject({ code: 0, changes: [] });
  });

  test('allows what breaks nothing', async () => {
    const { code, changes } = await compare({
      ...withPermissions([
        { role: 'clerk', definition: { schema: FOR_CLERKS.replace('item: String', 'item: String margin: Float') } },
        { role: 'anonymous', definition: { schema: 'type Query { order(id: ID!): Order } type Order { id: ID! }' } },
      ]),
      'query_collections.yaml': [
        {
          name: 'saved',
          definition: { queries: [{ name: 'order', query: 'query ($number: ID!) { order(id: $number) { item } }' }] },
        },
      ],
      'rest_endpoints.yaml': [{ ...FILES['rest_endpoints.yaml'][0], url: 'orders/:number', methods: ['GET', 'POST'] }],
    });
    expect(code).toBe(0);
    expect(changes).toEqual(
      expect.arrayContaining([
        [false, 'POST /api/rest/orders/:number was added'],
        [false, "Field 'margin' was added to object type 'Order'", 'clerk'],
        [false, "Field 'order' was added to object type 'Query'", 'anonymous'],
      ]),
    );
    expect(changes?.filter(([breaking]) => breaking)).toEqual([]);
  });

  test('refuses what takes something away, and says from whom', async () => {
    const { code, changes } = await compare({
      ...withPermissions([
        { role: 'clerk', definition: { schema: 'type Query { order(id: ID!): Order } type Order { id: ID! }' } },
      ]),
      'actions.yaml': undefined,
      'actions.graphql': undefined,
      'rest_endpoints.yaml': undefined,
      'services.yaml': undefined,
    });
    expect(code).toBe(1);
    expect(changes).toEqual(
      expect.arrayContaining([
        [true, 'GET /api/rest/orders/:id was removed'],
        [true, '/files was removed'],
        [true, "Field 'item' was removed from object type 'Order'", 'clerk'],
        [true, "Field 'orders' was removed from object type 'Query'", 'clerk'],
        [true, "Field 'ping' was removed from object type 'Mutation'", 'admin'],
        [true, "Type 'Mutation' was removed", 'anonymous'],
      ]),
    );
  });

  test('refuses what takes a service away from roles that are not named', async () => {
    const [remote] = FILES['remote_schemas.yaml'];
    const before = await open({ 'remote_schemas.yaml': [{ ...remote, permissions: undefined }] });
    const after = await open({ 'remote_schemas.yaml': [remote] });
    const { code, report } = await reportOf({ location: after.path, against: before.path, environment });
    expect(code).toBe(1);
    expect(report.changes?.filter(({ breaking }) => breaking).flatMap(({ roles }) => roles)).toContain('*');
  });

  test('does not need the variables of a trigger that was removed', async () => {
    const nightly = { name: 'nightly', webhook: '{{REMOVED_URL}}', schedule: '0 0 * * *' };
    const before = await open({ ...FILES, 'cron_triggers.yaml': [nightly] });
    const after = await open();
    const { report } = await reportOf({ location: after.path, against: before.path, environment });
    expect([report.problems, report.changes]).toEqual([[], []]);
  });

  test('is not made with what cannot be compared', async () => {
    const after = await open();
    const missing = await reportOf({ location: after.path, against: 'no-such-thing', environment });
    expect([missing.code, missing.report.problems]).toEqual([
      1,
      [{ file: 'no-such-thing', message: 'is neither a metadata directory nor a git reference that contains one' }],
    ]);
    const broken = await open({ 'services.yaml': '[' });
    const { code, report } = await reportOf({ location: after.path, against: broken.path, environment });
    expect([code, report.problems[0]?.message]).toEqual([
      1,
      expect.stringMatching(/^cannot be compared with: services\.yaml:1/),
    ]);
  });

  test('does not take a service that is down for one that has been taken away', async () => {
    const before = await open();
    const after = await open();
    const down = { ...environment, SHOP_URL: 'http://127.0.0.1:1' };
    const { code, report } = await reportOf({ location: after.path, against: before.path, environment: down });
    expect(code).toBe(1);
    expect(report).not.toHaveProperty('changes');
  });
});
