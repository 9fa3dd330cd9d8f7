import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { reportOf } from '../cli/run-check.ts';
import { openEditedGateway } from '../harness/edited-gateway.ts';
import { keeper, openIssuer } from '../harness/index.ts';
import { metadataDirectory } from '../harness/metadata-directory.ts';
import { joins, OWNER, ordersService, toUsers, usersService } from './world.ts';

const { keep, close } = keeper();
afterAll(close);
const { keep: keepForTest, close: closeAfterTest } = keeper();
afterEach(closeAfterTest);
const orders = await keep(ordersService());
const users = await keep(usersService());

const remotes = (...joined: readonly object[]) => [
  { name: 'orders', definition: { url: orders.graphqlUrl }, remote_relationships: joined },
  { name: 'users', definition: { url: users.graphqlUrl } },
];
const files = (...relationships: readonly object[]) => ({
  'remote_schemas.yaml': remotes(joins('Order', ...relationships)),
});

async function problemsOf(content: Readonly<Record<string, unknown>>) {
  const { path: location } = await keepForTest(metadataDirectory(content));
  const { report } = await reportOf({ location });
  return report.problems.map(({ path, message }) => `${path?.replace('[0].remote_relationships', '')}: ${message}`);
}

const by = (remoteField: object, ...fields: string[]) => toUsers('x', fields, remoteField);

describe('an invalid relationship is reported', () => {
  test.each<[string, object, string]>([
    [
      'a remote schema that there is not',
      {
        name: 'x',
        definition: { to_remote_schema: { remote_schema: 'usres', lhs_fields: [], remote_field: { a: {} } } },
      },
      'remote_schema: there is no remote schema "usres": did you mean "users"?',
    ],
    [
      'a value of a field that is not fetched',
      by({ user: { arguments: { id: '$id' } } }, 'owner_id'),
      'remote_field: "$id" is used, and "id" is not among the lhs_fields',
    ],
    ['several fields where one is asked', by({ user: {}, users: {} }), 'remote_field: expected exactly one field'],
    [
      'a key that is misspelt',
      toUsers('x', [], { user: {} }, { lhs_field: ['id'] }),
      'lhs_field: unknown key "lhs_field": did you mean "lhs_fields"?',
    ],
  ])('%s', async (_, relationship, problem) => {
    expect(await problemsOf(files(relationship))).toEqual([
      `[0].relationships[0].definition.to_remote_schema.${problem}`,
    ]);
  });

  test('a name that is given twice', async () => {
    expect(await problemsOf(files(OWNER, OWNER))).toEqual([
      '[0].relationships[1].name: "Order" already has a relationship "owner"',
    ]);
  });
});

describe('a relationship that contradicts the services’ schemas is reported', () => {
  const at = (key: string, problem: string) =>
    `[0].relationships[0].definition.to_remote_schema.${key}: relationship "x": ${problem}`;

  test.each<[string, object, string]>([
    [
      'an unknown field',
      by({ user: { arguments: { id: '1' } } }, 'own'),
      at('lhs_fields', 'the type "Order" has no field "own"'),
    ],
    ['an unknown field to query', by({ usr: {} }), at('remote_field', '"users" has no field "usr" to query')],
    [
      'an unknown argument',
      by({ user: { arguments: { id: 1, no: 1 } } }),
      at('remote_field', '"user" has no argument "no"'),
    ],
    [
      'a type that is not the argument’s',
      by({ directory: { arguments: { region: '$owner_id' } } }, 'owner_id'),
      at('remote_field', '"directory.region" takes Region!, and "owner_id" is Int'),
    ],
    [
      'a list for one value',
      by({ user: { arguments: { id: '$tags' } } }, 'tags'),
      at('remote_field', '"user.id" takes ID!, and "tags" is [String!]!'),
    ],
    [
      'a fixed value that is not the argument’s',
      by({ users: { arguments: { where: { region: 'MOON' } } } }),
      at('remote_field', '"users.where.region" requires a value of type Region, but the given value is not'),
    ],
    [
      'an unknown field of an input object',
      by({ users: { arguments: { where: { id: 1 } } } }),
      at('remote_field', '"users.where" has no "id"'),
    ],
    [
      'a step that needs more',
      by({ directory: { field: { size: {} } } }),
      at('remote_field', '"directory" requires the argument "region"'),
    ],
    [
      'a step into a list',
      by({ directory: { arguments: { region: 'EU' }, field: { list: { field: { id: {} } } } } }),
      at('remote_field', '"list" does not return a single object, so no fields can be selected in it'),
    ],
  ])('%s', async (_, relationship, problem) => {
    expect(await problemsOf(files(relationship))).toEqual([problem]);
  });

  test('an unknown type, and a name that a field has', async () => {
    const note = { ...OWNER, name: 'note' };
    expect(await problemsOf({ 'remote_schemas.yaml': remotes(joins('Ordre', OWNER), joins('Order', note)) })).toEqual([
      '[0].relationships[0].name: relationship "owner": there is no object type "Ordre"',
      '[1].relationships[0].name: relationship "note": the type "Order" already has a field "note"',
    ]);
  });
});

describe('while the gateway runs', () => {
  test('an edit that breaks a relationship is refused, and one that mends it is taken', async () => {
    const issuer = await keepForTest(openIssuer());
    const gateway = await keepForTest(openEditedGateway(files(OWNER), { issuer }));
    const ask = async () =>
      (await gateway.graphql('{ order(id: 1) { owner { name } } }', { token: issuer.token() })).body.data;
    const refused = await gateway.edit(files(by({ usr: {} })));
    expect(refused.status).toBe(400);
    expect(JSON.stringify(refused.body)).toContain('has no field \\"usr\\" to query');
    expect(await ask()).toEqual({ order: { owner: { name: 'user 7' } } });
    const { status } = await gateway.edit(files({ ...OWNER, name: 'buyer' }));
    expect(status).toBe(200);
    expect(await ask()).toBeUndefined();
  });

  test('one that is broken from the start keeps nothing else out', async () => {
    const issuer = await keepForTest(openIssuer());
    const gateway = await keepForTest(openEditedGateway(files(OWNER, by({ usr: {} })), { issuer }));
    const { body } = await gateway.graphql('{ order(id: 1) { owner { name } } }', { token: issuer.token() });
    expect(body.data).toEqual({ order: { owner: { name: 'user 7' } } });
    expect(gateway.logged('relationship.invalid')).toMatchObject([
      { file: 'remote_schemas.yaml', reason: 'relationship "x": "users" has no field "usr" to query' },
    ]);
    const { body: inconsistent } = await gateway.command('get_inconsistent_metadata');
    expect(inconsistent).toMatchObject({
      inconsistent_objects: [
        {
          type: 'remote_schema_remote_relationship',
          name: 'Order.x',
          reason: '"users" has no field "usr" to query',
        },
      ],
    });
    expect((await gateway.send<Record<string, unknown>>('/readyz')).body).toMatchObject({ missing_sources: [] });
  });
});

test('a check reports that removing a relationship breaks clients', async () => {
  const before = await keepForTest(metadataDirectory(files(OWNER)));
  const after = await keepForTest(metadataDirectory(files()));
  const { code, report } = await reportOf({ location: after.path, against: before.path });
  expect(code).toBe(1);
  expect(report.changes).toMatchObject([
    { breaking: true, message: "Field 'owner' was removed from object type 'Order'" },
  ]);
});
