import { afterAll, expect, test } from '@jest/globals';
import { reportOf, textOf } from '../cli/run-check.ts';
import { environmentOf, FILES, FOR_CLERKS, openShop } from '../cli/shop-metadata.ts';
import { openEditedGateway } from '../harness/edited-gateway.ts';
import { keeper, openGateway, openIssuer } from '../harness/index.ts';
import { type MetadataDirectory, metadataDirectory } from '../harness/metadata-directory.ts';
import { IS_PRO } from './shop.ts';

const { keep, close } = keeper();
afterAll(close);
const environment = environmentOf(await keep(openShop()));
const issuer = await keep(openIssuer());
const withCondition = (condition?: object) => ({
  ...FILES,
  'remote_schemas.yaml': [
    {
      ...FILES['remote_schemas.yaml'][0],
      permissions: [
        {
          role: 'clerk',
          definition: { schema: FOR_CLERKS },
          ...(condition && { session_conditions: [{ fields: ['Order.item', 'Query.orders'], condition }] }),
        },
      ],
    },
  ],
  'rest_endpoints.yaml': [
    { ...FILES['rest_endpoints.yaml'][0], ...(condition && { session_condition: { ...condition } }) },
  ],
});
const locationOf = async (condition?: object) =>
  (await keep<MetadataDirectory>(metadataDirectory(withCondition(condition)))).path;

test('a check names the fields and endpoints with conditions', async () => {
  const location = await locationOf(IS_PRO);
  const { report } = await reportOf({ location, environment });
  expect(report).toMatchObject({
    problems: [],
    conditionalFields: { clerk: ['Order.item', 'Query.orders'] },
    conditionalEndpoints: ['order'],
  });
  const { text } = await textOf({ location, environment });
  expect(text).toContain('session conditions of role clerk: Order.item, Query.orders\n');
  expect(text).toContain('session conditions of REST endpoints: order\n');
});

test('and names them as extensions where it compares with a Hasura', async () => {
  const secret = { HASURA_GRAPHQL_ADMIN_SECRET: 'correct-horse-battery-staple' };
  const other = await keep(openGateway({ issuer, metadata: FILES, environment: { ...environment, ...secret } }));
  const options = { location: await locationOf(IS_PRO), environment: { ...environment, ...secret }, hasura: other.url };
  const { text } = await textOf(options);
  expect(text).toContain(
    'extension: session conditions of role clerk: Order.item, Query.orders; Hasura does not check them\n',
  );
  expect(text).toContain('extension: session conditions of REST endpoints: order; Hasura does not check them\n');
});

test('a comparison with other metadata says which conditions are new, changed or gone', async () => {
  const changes = async (before: object | undefined, after: object | undefined) => {
    const { report } = await reportOf({
      location: await locationOf(after),
      against: await locationOf(before),
      environment,
    });
    return report.changes?.map(({ breaking, message, roles }) => [breaking, message, ...(roles ?? [])]);
  };
  expect(await changes(undefined, IS_PRO)).toEqual([
    [true, '"Order.item" now has a session condition', 'clerk'],
    [true, '"Query.orders" now has a session condition', 'clerk'],
  ]);
  expect(await changes(IS_PRO, { 'x-hasura-plan': { _eq: 'pro' } })).toEqual([
    [true, 'the session condition of "Order.item" has changed', 'clerk'],
    [true, 'the session condition of "Query.orders" has changed', 'clerk'],
  ]);
  expect(await changes(IS_PRO, undefined)).toEqual([
    [false, '"Order.item" no longer has a session condition', 'clerk'],
    [false, '"Query.orders" no longer has a session condition', 'clerk'],
  ]);
});

test('the graph that operators see says which fields have conditions', async () => {
  const gateway = await keep(openEditedGateway(withCondition(IS_PRO), { issuer, environment }));
  const { body } = await gateway.command<{ items: { name: string; fields: { items: object[] } }[] }>(
    'portico_get_graph',
    { role: 'clerk', search: 'Order' },
  );
  expect(body.items.find(({ name }) => name === 'Order')?.fields.items).toMatchObject([
    { name: 'id', conditional: false },
    { name: 'item', conditional: true },
  ]);
});
